/** The package brings no types; these are of what the tests call. */
declare module 'm3api-oauth2' {
  import type Session from 'm3api';

  export class OAuthClient {
    constructor(clientId: string, clientSecret?: string | null);
  }
  export const initOAuthSession: (session: Session) => Promise<string>;
  export const completeOAuthSession: (session: Session, callbackUrl: string) => Promise<void>;
  export const refreshOAuthSession: (session: Session) => Promise<void>;
}
