/**
 * The least with the same guarantees, hand-written for these clients only: secrets compared in constant time, codes and
 * tokens stored as hashes, PKCE (S256), codes that work once, refresh tokens that rotate, and a grant that is revoked with all its
 * tokens when a code or refresh token is used twice. It has Maps that grow, and no store, no limits for guesses, no
 * pages and no options. Not for production.
 */
export interface MinimumAnswer {
    readonly status: number;
    readonly body: string;
}
/** Answers a POST to the token or the introspection endpoint. */
export declare function post(path: string, authorization: string | undefined, body: string): MinimumAnswer;
/** The redirect that answers an authorization request: with a code, because the owner has allowed the client before. */
export declare function authorize(url: string): string;
/** Whether a request has a live token with the scope of the guarded route. */
export declare function isAllowed(authorization: string | undefined): boolean;
