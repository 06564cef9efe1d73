import type { ProofRefusal } from '../../base/key-proofs.js';
import type { LimitReached } from '../../base/limits/limit-reached.js';

/** Why an authorization request was rejected. */
export type RefusalReason =
  | 'missing_client_id'
  | 'unknown_client'
  | 'client_unavailable'
  | 'client_refused'
  | 'missing_redirect_uri'
  | 'unregistered_redirect_uri'
  | 'missing_response_type'
  | 'unsupported_response_type'
  | 'response_type_not_allowed'
  | 'missing_pkce'
  | 'invalid_pkce'
  | 'missing_scope'
  | 'invalid_scope'
  | 'scope_not_allowed'
  | 'unknown_resource'
  | 'expired_request'
  | 'client_changed'
  | 'too_many_attempts'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'invalid_request';

/** Why an assertion of another server was refused. */
type AssertionRefusal =
  | 'malformed'
  | 'issuer'
  | 'algorithm'
  | 'key'
  | 'signature'
  | 'type'
  | 'audience'
  | 'expired'
  | 'early'
  | 'lifetime'
  | 'claims'
  | 'client'
  | 'replay'
  | 'ended'
  | 'owner'
  | 'workload'
  | 'binding'
  | 'details'
  | 'scope'
  | 'resource'
  | 'unavailable';

/** Why a token was not exchanged. */
type ExchangeRefusal = 'client' | 'type' | 'subject' | 'foreign' | 'actor' | 'may_act' | 'target' | 'scope' | 'depth';

/** An event about a client. */
interface OfClient {
  /** The client. */
  readonly client_id: string;
}

/** An event about an owner. */
interface OfOwner {
  /** The owner. */
  readonly sub: string;
}

/** An event about the access of a client. */
interface OfAccess extends OfClient {
  /** Separated by spaces. */
  readonly scope: string;
}

/** An event about an owner's decision on the access of a client. */
interface OfConsent extends OfAccess, OfOwner {}

/** What happened. Events name a grant by its `grant_id`, which is not secret; pass it to `grants.revoke`. */
export type OAuthOccurrence =
  | (OfAccess & {
      /** The token endpoint issued a token. */
      readonly type: 'token.issued';
      /** The grant type. */
      readonly grant_type: string;
      /** The owner, or `client:` followed by the client. */
      readonly sub: string;
      /** For `grants.revoke`. */
      readonly grant_id?: string;
      /** The server that vouched for the owner, if it was another one. */
      readonly issuer?: string;
      /** The clients that act for the owner, if a token was exchanged (RFC 8693): the outermost first. */
      readonly actors?: readonly string[];
      /** Whether the client exchanged a token of the owner for one that does not say who acts. */
      readonly impersonated?: boolean;
    })
  | {
      /** The token endpoint rejected a request; polls of a waiting device are not included. */
      readonly type: 'token.refused';
      /** The error code sent to the client (RFC 6749 §5.2). */
      readonly error: string;
      /** The reason, as a sentence. */
      readonly reason: string;
      /** The client. */
      readonly client_id?: string;
      /** The grant type. */
      readonly grant_type?: string;
    }
  | (OfClient & {
      /** A client revoked one of its tokens. */
      readonly type: 'token.revoked';
      /** For `grants.revoke`. */
      readonly grant_id?: string;
    })
  | (OfConsent & {
      /** An owner allowed a client something. */
      readonly type: 'grant.created';
      /** For `grants.revoke`. */
      readonly grant_id: string;
      /** Present if the owner was not asked: the approval was remembered, the client has `consent: 'skip'`, or another server vouched for the owner. */
      readonly silent?: true;
      /** The server that vouched for the owner, if it was another one. */
      readonly issuer?: string;
    })
  | {
      /** A grant was revoked. */
      readonly type: 'grant.revoked';
      /** For `grants.revoke`. */
      readonly grant_id: string;
      /** The client. */
      readonly client_id?: string;
      /** The owner of the grant. */
      readonly sub?: string;
      /**
       * `replay`: a code or token was used twice. `revocation`: the client revoked it. `host`: `grants.revoke` or `owners.erase` was called.
       * `owner`: the owner revoked it on the page. `unused`: it was never given to a client, because another press of the same button came
       * first, or what it depended on was withdrawn at the same moment.
       */
      readonly reason: 'replay' | 'revocation' | 'host' | 'owner' | 'unused';
      /** Who revoked it, as passed in `by`. */
      readonly by?: string;
    }
  | (OfClient & {
      /** A code or refresh token was used twice: it may have been stolen. */
      readonly type: 'replay.detected';
      /** What was used twice. */
      readonly kind: 'authorization_code' | 'refresh_token';
      /** For `grants.revoke`. */
      readonly grant_id: string;
    })
  | {
      /** A proof of a key was rejected (RFC 9449). */
      readonly type: 'dpop.refused';
      /** What is wrong with it. */
      readonly reason: ProofRefusal;
      /** The client of the token. */
      readonly client_id?: string;
      /** The address that the proof names, if it is for another one. */
      readonly htu?: string;
    }
  | {
      /** An assertion of another server was refused. */
      readonly type: 'assertion.refused';
      /** What is wrong with it. `unavailable`: it could not be checked, and may be sent again. */
      readonly reason: AssertionRefusal;
      /** Its issuer, if the server accepts assertions of it. */
      readonly issuer?: string;
      /** The client that presented it, if it has authenticated itself. */
      readonly client_id?: string;
    }
  | (OfClient & {
      /** A client may not exchange a token as it asked (RFC 8693). */
      readonly type: 'exchange.refused';
      /** Why. */
      readonly reason: ExchangeRefusal;
    })
  | (OfClient & {
      /** A client presented a wrong secret or assertion. */
      readonly type: 'client.authentication_failed';
    })
  | (OfClient & {
      /** `grants.revoke` was called for a client, and the client's own tokens were invalidated too. */
      readonly type: 'client.tokens_ended';
      /** Who invalidated them, as passed in `by`. */
      readonly by?: string;
    })
  | (OfClient & {
      /** An administrator added or changed a client on the page of `adminPages`. */
      readonly type: 'client.changed';
      /** What was done. */
      readonly change: 'added' | 'changed' | 'secret_rotated' | 'disabled' | 'enabled' | 'removed';
      /** The administrator. */
      readonly by: string;
    })
  | {
      /** A client registered itself. Nothing is stored. */
      readonly type: 'client.registered';
      /** The client: a text that contains everything below. */
      readonly client_id: string;
      /** The argument of `registration.isDenied`: 16 characters of the `client_id`. */
      readonly registration_id: string;
      /** The name it chose, without invisible characters. */
      readonly client_name?: string;
      /** Its redirect URIs. */
      readonly redirect_uris: readonly string[];
    }
  | (OfOwner & {
      /** An owner signed in on the built-in page. */
      readonly type: 'owner.signed_in';
    })
  | (OfOwner & {
      /** An owner signed out on a built-in page, or `owners.signOut` or `owners.erase` ended all their sessions. */
      readonly type: 'owner.signed_out';
      /** Who ended it: the owner, or as passed in `by`. */
      readonly by?: string;
    })
  | (OfClient &
      OfOwner & {
        /** A client could not be told that an owner has signed out. It is not tried again. */
        readonly type: 'logout.failed';
        /** The reason, as a sentence. */
        readonly reason: string;
      })
  | {
      /** A wrong user name or password was entered on the built-in page. */
      readonly type: 'owner.sign_in_failed';
    }
  | (OfConsent & {
      /** An owner made a decision about a client. */
      readonly type: 'consent.decided';
      /** What the owner decided. */
      readonly decision: 'approve' | 'deny';
    })
  | {
      /** An authorization request was rejected, on a page or in a redirect. Failures (503) are passed to `onError` instead. */
      readonly type: 'authorization.refused';
      /** The reason, as a code. */
      readonly reason: RefusalReason;
      /** The reason, as a sentence. */
      readonly message: string;
      /** The rejected value: printable ASCII, at most 200 characters. */
      readonly value?: string;
      /** The client, if it exists. */
      readonly client_id?: string;
      /** The reference shown on the page, so that users can quote it; absent if there was no page. */
      readonly reference?: string;
      /** The error code sent to the client in a redirect (RFC 6749 §4.1.2.1); absent if there was a page. */
      readonly error?: string;
    }
  | (OfAccess & {
      /** A device requested a code. */
      readonly type: 'device.requested';
    })
  | (OfConsent & {
      /** An owner made a decision about a device. */
      readonly type: 'device.decided';
      /** What the owner decided. */
      readonly decision: 'approve' | 'deny';
    })
  | {
      /** The document of a client, or its keys, was fetched and accepted. */
      readonly type: 'client.document_fetched';
      /** The client, identified by the URL of the document. */
      readonly client_id: string;
      /** The fetched URL: the `client_id`, or the `jwks_uri` of its document. */
      readonly address: string;
      /** The duration in milliseconds. */
      readonly duration: number;
    }
  | {
      /** The document of a client, or its keys, could not be fetched or was not accepted. */
      readonly type: 'client.document_failed';
      /** The client, identified by the URL of the document. */
      readonly client_id: string;
      /** The fetched URL: the `client_id`, or the `jwks_uri` of its document. */
      readonly address: string;
      /** `unavailable`: no usable response. `refused`: the document is invalid, or `trust` rejected it. */
      readonly reason: 'unavailable' | 'refused';
      /** Why, as a sentence. */
      readonly message: string;
      /** The duration in milliseconds. */
      readonly duration: number;
      /** Whether the last valid document is used instead. */
      readonly fallback: boolean;
    }
  | {
      /** A client changed its document since it was last read. Its grants are not affected. */
      readonly type: 'client.document_changed';
      /** The client, identified by the URL of the document. */
      readonly client_id: string;
      /** The changed parts. */
      readonly changed: readonly ('redirect_uris' | 'keys')[];
    }
  | LimitReached;

/** The time, origin and outcome of an event. */
interface EventOrigin {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Whether a request succeeded. An owner who denies access has made a decision: that is a success, with `decision: 'deny'`. */
  readonly outcome: EventOutcome;
  /**
   * Identifies the request: the framework's request `id`, or the header `x-request-id`, or a generated id. Without a proxy that sets that
   * header, clients choose it. Absent if the event was caused by a call of the application.
   */
  readonly request_id?: string;
  /** The caller's address as the framework reports it. Absent if the event was caused by a call of the application. */
  readonly ip?: string;
}

/** `failure` for everything that may need attention. */
type EventOutcome = 'success' | 'failure';

/** An event for logging and alerting. No event contains a secret, a token or a code. */
export type OAuthEvent = OAuthOccurrence & EventOrigin;

/** Emits an event; its time and request are added in one place. */
export type Emit = (occurrence: OAuthOccurrence) => void;

/**
 * Called with each event, after the fact and without being awaited: if it throws or its promise rejects,
 * the error goes to `onError`, and no response changes.
 */
export type OAuthEventListener = (event: OAuthEvent) => void;
