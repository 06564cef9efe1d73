/**
 * What the host can log and alert on. No event holds a secret, a token or a code; a grant is named by its `grant_id`,
 * which opens nothing and is what `revokeGrant` takes.
 */
export type OAuthEvent =
  | {
      /** The token endpoint gave a token out. */
      readonly type: 'token.issued';
      /** How the client asked. */
      readonly grant_type: string;
      /** The client. */
      readonly client_id: string;
      /** The owner, or `client:` and the client. */
      readonly sub: string;
      /** Separated by spaces. */
      readonly scope: string;
      /** What `revokeGrant` takes. */
      readonly grant_id?: string;
    }
  | {
      /** The token endpoint refused; a device that polls while it waits is no refusal. */
      readonly type: 'token.refused';
      /** The code that the client was told (RFC 6749 §5.2). */
      readonly error: string;
      /** Why, as a sentence. */
      readonly reason: string;
      /** The client. */
      readonly client_id?: string;
      /** How the client asked. */
      readonly grant_type?: string;
    }
  | {
      /** A client revoked one of its tokens. */
      readonly type: 'token.revoked';
      /** The client. */
      readonly client_id: string;
      /** What `revokeGrant` takes. */
      readonly grant_id?: string;
    }
  | {
      /** An owner allowed a client something. */
      readonly type: 'grant.created';
      /** The client. */
      readonly client_id: string;
      /** The owner, or `client:` and the client. */
      readonly sub: string;
      /** Separated by spaces. */
      readonly scope: string;
      /** What `revokeGrant` takes. */
      readonly grant_id: string;
    }
  | {
      /** A grant ended before its time. */
      readonly type: 'grant.revoked';
      /** What `revokeGrant` takes. */
      readonly grant_id: string;
      /** The client. */
      readonly client_id?: string;
      /** Something was used twice, its client revoked it, or the host called `revokeGrant`. */
      readonly reason: 'replay' | 'revocation' | 'host';
    }
  | {
      /** A code or refresh token was used twice: somebody may have stolen it. */
      readonly type: 'replay.detected';
      /** What was used twice. */
      readonly kind: 'authorization_code' | 'refresh_token';
      /** The client. */
      readonly client_id: string;
      /** What `revokeGrant` takes. */
      readonly grant_id: string;
    }
  | {
      /** A client gave a wrong secret or assertion. */
      readonly type: 'client.authentication_failed';
      /** The client. */
      readonly client_id: string;
      /** The address, as the host framework sees it. */
      readonly ip: string;
    }
  | {
      /** Somebody signed in on the built-in page. */
      readonly type: 'owner.signed_in';
      /** The owner, or `client:` and the client. */
      readonly sub: string;
      /** The address, as the host framework sees it. */
      readonly ip: string;
    }
  | {
      /** Somebody gave a wrong name or password on the built-in page. */
      readonly type: 'owner.sign_in_failed';
      /** The address, as the host framework sees it. */
      readonly ip: string;
    }
  | {
      /** An owner decided about a client. */
      readonly type: 'consent.decided';
      /** What the owner decided. */
      readonly decision: 'approve' | 'deny';
      /** The client. */
      readonly client_id: string;
      /** The owner, or `client:` and the client. */
      readonly sub: string;
      /** Separated by spaces. */
      readonly scope: string;
    }
  | {
      /** A device asked for a code. */
      readonly type: 'device.requested';
      /** The client. */
      readonly client_id: string;
      /** Separated by spaces. */
      readonly scope: string;
    }
  | {
      /** An owner decided about a device. */
      readonly type: 'device.decided';
      /** What the owner decided. */
      readonly decision: 'approve' | 'deny';
      /** The client. */
      readonly client_id: string;
      /** The owner, or `client:` and the client. */
      readonly sub: string;
      /** Separated by spaces. */
      readonly scope: string;
    }
  | {
      /** Somebody tried too often and is answered 429. */
      readonly type: 'limit.reached';
      /** Which limit: `client`, `login` or `user code`. */
      readonly limit: string;
      /** The address, as the host framework sees it. */
      readonly ip: string;
    };

/** Hears of each event, after it has happened. What it throws goes to `onError` and changes no answer. */
export type EventListener = (event: OAuthEvent) => void;
