/**
 * What the host can log and alert on. No event holds a secret, a token or a code; a grant is named by its `grant_id`,
 * which opens nothing and is what `revokeGrant` takes.
 */
export type OAuthEvent =
  | {
      readonly type: 'token.issued';
      readonly grant_type: string;
      readonly client_id: string;
      readonly sub: string;
      readonly scope: string;
      readonly grant_id?: string;
    }
  | {
      readonly type: 'token.refused';
      readonly error: string;
      readonly reason: string;
      readonly client_id?: string;
      readonly grant_type?: string;
    }
  | { readonly type: 'token.revoked'; readonly client_id: string; readonly grant_id?: string }
  | {
      readonly type: 'grant.created';
      readonly client_id: string;
      readonly sub: string;
      readonly scope: string;
      readonly grant_id: string;
    }
  | {
      readonly type: 'grant.revoked';
      readonly grant_id: string;
      readonly client_id?: string;
      readonly reason: 'replay' | 'revocation' | 'host';
    }
  | {
      readonly type: 'replay.detected';
      readonly kind: 'authorization_code' | 'refresh_token';
      readonly client_id: string;
      readonly grant_id: string;
    }
  | { readonly type: 'client.authentication_failed'; readonly client_id: string; readonly ip: string }
  | { readonly type: 'owner.signed_in'; readonly sub: string; readonly ip: string }
  | { readonly type: 'owner.sign_in_failed'; readonly ip: string }
  | {
      readonly type: 'consent.decided';
      readonly decision: 'approve' | 'deny';
      readonly client_id: string;
      readonly sub: string;
      readonly scope: string;
    }
  | { readonly type: 'device.requested'; readonly client_id: string; readonly scope: string }
  | {
      readonly type: 'device.decided';
      readonly decision: 'approve' | 'deny';
      readonly client_id: string;
      readonly sub: string;
      readonly scope: string;
    }
  | { readonly type: 'limit.reached'; readonly limit: string; readonly ip: string };

export type EventListener = (event: OAuthEvent) => void;
