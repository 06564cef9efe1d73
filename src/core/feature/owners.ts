import type { Authorization } from '../base/authorization.js';
import type { HttpResponse } from '../base/http/messages.js';
import type { MaybePromise } from '../base/ports.js';
import type { Emit } from '../oauth/events/events.js';
import type { Ending as AskedEnding } from '../oauth/pages/endings.js';
import type { Owner } from '../oauth/records/owner.js';
import type { GrantedClaims } from '../oauth/records/stored-records.js';
import type { Call, Ending, FeatureClient, OwnerSession } from './parts.js';

/** A question on a page with one button. */
export interface Question {
  /** What ends if the button is pressed; the page asks for that. */
  readonly ending: AskedEnding;
  /** The path of this feature that the form is sent to. */
  readonly path: string;
  /** Further fields of the form. */
  readonly hidden: Readonly<Record<string, string>>;
  /** What {@link Visit.isFormToken} expects of the field `form_token`. */
  readonly purpose: readonly string[];
  /** Where the other button leads. */
  readonly cancelPath: string;
  /** Whether the response to the form may redirect to a client: then the page allows any target. */
  readonly leadsToClient?: boolean | undefined;
}

/** A browser, and the owner who is signed in there. */
export interface Visit {
  /** Absent if nobody is signed in. */
  readonly owner: Owner | undefined;
  /** The owner's session; absent if your own sign-in does not name it. */
  readonly session: Ending['session'];
  /** Asks on a page of this server, in the language of the request. The form proves that it was shown to this browser. */
  readonly ask: (question: Question) => Promise<HttpResponse>;
  /** Whether a form of this browser was made for this purpose. */
  readonly isFormToken: (token: string | undefined, purpose: readonly string[]) => boolean;
  /** The page for a form that {@link isFormToken} refuses: throw it. @param path - Of this feature, where the owner begins again. */
  readonly formExpired: (path: string) => Error;
  /** Ends the session, and redirects. Absent without a session of the built-in sign-in. */
  readonly signOut: ((returnTo: string) => Promise<HttpResponse>) | undefined;
}

/** What an owner has allowed a client. */
interface OwnerConnection {
  /** The client. */
  readonly client_id: string;
  /** All scopes of its grants, separated by spaces. */
  readonly scope: string;
}

/** The owner of an access token. */
export interface TokenOwner {
  /** The contents of the token. */
  readonly authorization: Authorization;
  /** The user name, if it is known. */
  readonly username: string | undefined;
  /** The client that has the token. */
  readonly client: FeatureClient;
  /** Single claims that the owner allowed this client, in addition to the scopes. */
  readonly claims: GrantedClaims | undefined;
}

/** A path that answers with a document about the owner of an access token. */
export interface TokenRoute {
  /** Below the issuer. */
  readonly path: string | readonly string[];
  /** The scopes that the token needs. */
  readonly scopes: readonly string[];
  /** Whether POST is answered too, and a form may contain the token (RFC 6750 §2.2). Default: `false`. */
  readonly takesForm?: boolean | undefined;
  /** The document, as JSON. */
  readonly answer: (owner: TokenOwner) => MaybePromise<object>;
}

/** Owners: who is signed in, and what they have allowed. */
export interface FeatureOwners {
  /** Whether owners can sign in at all: with `options.users`, or with `options.owner`. */
  readonly canSignIn: boolean;
  /** Whether the built-in sign-in is used: then this server has their sessions, and can end them. */
  readonly hasSessions: boolean;
  /** Who visits a page. */
  readonly visit: (call: Call) => Promise<Visit>;
  /** Those of these sessions that have not ended: one read of the store. All are of one owner. */
  readonly live: <Known extends OwnerSession>(sessions: readonly Known[]) => Promise<readonly Known[]>;
  /** Ends one session at the request of its owner, for every process. It does not matter whether it has ended before. */
  readonly endSession: (session: OwnerSession, call: Call) => Promise<void>;
  /** What an owner has allowed one client, if it has not ended. */
  readonly connection: (sub: string, client_id: string) => Promise<OwnerConnection | undefined>;
  /** What an owner has allowed all clients, page by page. Needs a store that can list. */
  readonly connections: (sub: string) => AsyncIterable<readonly OwnerConnection[]>;
  /** Revokes everything that an owner has allowed a client, at the owner's request. */
  readonly disconnect: (sub: string, client_id: string, call: Call) => Promise<void>;
  /** Tells all features that a sign-in ends, before the application ends it. @returns what to call once it has ended. */
  readonly ends: (ending: Ending, emit: Emit | undefined) => Promise<() => void>;
}
