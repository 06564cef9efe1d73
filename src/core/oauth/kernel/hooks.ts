import type { HttpRequest } from '../../base/http/messages.js';
import type { MaybePromise } from '../../base/ports.js';
import type { OwnRestrictions } from '../clients/client-metadata.js';
import type { OwnOpenId } from '../clients/client-openid.js';
import type { Client } from '../clients/client.js';
import type { Definitions, Parameters } from '../facts/parameters.js';
import type { Jwk } from '../keys/signing-keys.js';
import type { KeptParameters } from '../records/chain-record.js';
import type { Owner } from '../records/owner.js';
import type { AskedSignIn } from '../sign-in/asked-sign-in.js';
import type { BeforeSignOut } from '../sign-in/owner-sessions.js';
import type { Session } from '../sign-in/sessions.js';
import type { FieldsOf, IssuedToken, ResponseFields } from '../tokens/token-response.js';
import type { Grant } from '../tokens/tokens.js';

/** The scopes of a request, before they are compared with those of the client. */
export interface AskedScope {
  readonly scopes: readonly string[];
  readonly client: Client;
  /** The grant the request leads to, in the spelling of `grant_type`. */
  readonly grant_type: string;
}

/** An authorization request whose client and redirect URI are known. Errors are sent there. */
export interface AskedAuthorization {
  readonly form: Parameters;
  readonly client: Client;
  readonly scope: readonly string[];
  readonly response_type: 'code' | 'token';
  /** Whether the client handed it over itself, instead of sending a browser with it. */
  readonly isPushed: boolean;
}

/** What a feature reads from an authorization request. */
export interface ReadAuthorization {
  readonly signIn?: AskedSignIn;
  /** Kept with the code until the token request. */
  readonly kept?: KeptParameters;
}

/** A response of the token endpoint that belongs to an owner's grant. */
export interface AskedTokens {
  readonly http: HttpRequest;
  readonly grant_type: string;
  readonly client: Client;
  readonly grant: Grant;
  /** Space-separated; after a refresh, it may be narrower than the grant. */
  readonly scope: string;
  readonly aud: readonly string[];
  /** Empty for a grant without a code, and for a refresh. */
  readonly kept: KeptParameters;
}

/** What features change in the requests of the authorization server. Each may be absent; none may be slow without a deadline. */
export interface OAuthHooks {
  /** Further parameters of authorization requests. All other names are ignored. */
  readonly parameters?: Definitions;
  /** If the form only refers to a request that its client handed over before: that request, which is `undefined` if it is too old or was changed. */
  readonly pushedRequest?: (form: Parameters) => { readonly opened: unknown } | undefined;
  /** Further members of what a client registers about itself. */
  readonly ownMetadata?: (
    given: Readonly<Record<string, unknown>>,
    redirectUris: readonly string[],
  ) => OwnOpenId & OwnRestrictions;
  /** Whether the response to an authorization request goes into the fragment. Never throws. */
  readonly isInFragment?: (form: Parameters, client: Client) => boolean;
  /** May omit scopes, or reject the request with an `OAuthError`. */
  readonly askedScope?: (asked: AskedScope) => readonly string[];
  /** @throws OAuthError, which is sent to the client. */
  readonly readRequest?: (asked: AskedAuthorization) => MaybePromise<ReadAuthorization>;
  /** Whether an owner may allow these scopes. @throws OAuthError, which is sent to the client. */
  readonly checkOwner?: (owner: Owner, scope: readonly string[]) => void;
  /** Kept with the code, of the session in which the owner of the built-in sign-in allows these scopes. */
  readonly keepOfSession?: (session: Session, scope: readonly string[]) => KeptParameters;
  readonly beforeSignOut?: BeforeSignOut;
  /** Further fields of a token response. Called before anything is used up; if it rejects, the client may repeat its request. */
  readonly tokenFields?: (asked: AskedTokens, token: IssuedToken) => MaybePromise<ResponseFields>;
  /** Further members of the metadata documents. */
  readonly metadata?: (issuer: string) => Readonly<Record<string, unknown>>;
  /** Further published keys. */
  readonly publicKeys?: () => Promise<readonly Jwk[]>;
}

/** The function for further fields of a token response, if a feature has any. */
export const fieldsFor = ({ tokenFields }: OAuthHooks, asked: AskedTokens): FieldsOf | undefined =>
  tokenFields === undefined ? undefined : (token) => tokenFields(asked, token);

type Hook<Name extends keyof OAuthHooks> = NonNullable<OAuthHooks[Name]>;

const merged = <Part extends object>(parts: readonly Part[]): Part => Object.assign({}, ...parts);

/** The hooks of several features as one. What no feature has is absent, so that it costs a request nothing. */
export const joinHooks = (all: readonly OAuthHooks[]): OAuthHooks => {
  const joined = <Name extends keyof OAuthHooks>(
    name: Name,
    join: (hooks: readonly Hook<Name>[]) => Hook<Name>,
  ): Pick<OAuthHooks, Name> => {
    const hooks = all.flatMap((one): Hook<Name>[] => (one[name] === undefined ? [] : [one[name] as Hook<Name>])); // It is not undefined.
    const [only] = hooks;
    return (only === undefined ? {} : { [name]: hooks.length === 1 ? only : join(hooks) }) as Pick<OAuthHooks, Name>;
  };
  return {
    ...joined('parameters', merged),
    ...joined('pushedRequest', (hooks) => (form) => hooks.flatMap((hook) => hook(form) ?? [])[0]),
    ...joined('ownMetadata', (hooks) => (given, uris) => merged(hooks.map((read) => read(given, uris)))),
    ...joined('isInFragment', (hooks) => (form, client) => hooks.some((is) => is(form, client))),
    ...joined(
      'askedScope',
      (hooks) => (asked) => hooks.reduce((scopes, hook) => hook({ ...asked, scopes }), asked.scopes),
    ),
    ...joined('readRequest', (hooks) => async (asked) => {
      const read = await Promise.all(hooks.map(async (hook) => hook(asked)));
      const signIns = read.flatMap(({ signIn }) => signIn ?? []);
      const kept = merged(read.map((one) => one.kept ?? {}));
      return {
        ...(signIns.length > 0 && { signIn: merged(signIns) }),
        ...(Object.keys(kept).length > 0 && { kept }),
      };
    }),
    ...joined('checkOwner', (hooks) => (owner, scope) => {
      for (const check of hooks) check(owner, scope);
    }),
    ...joined('keepOfSession', (hooks) => (session, scope) => merged(hooks.map((keep) => keep(session, scope)))),
    ...joined('beforeSignOut', (hooks) => async (ending, emit) => {
      const after = await Promise.all(hooks.map((hook) => hook(ending, emit)));
      return () => {
        for (const tell of after) tell();
      };
    }),
    ...joined(
      'tokenFields',
      (hooks) => async (asked, token) => merged(await Promise.all(hooks.map(async (hook) => hook(asked, token)))),
    ),
    ...joined('metadata', (hooks) => (issuer) => merged(hooks.map((hook) => hook(issuer)))),
    ...joined('publicKeys', (hooks) => async () => (await Promise.all(hooks.map((hook) => hook()))).flat()),
  };
};
