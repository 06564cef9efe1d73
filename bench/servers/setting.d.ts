import type { Framework } from '../candidates.js';
/** What a candidate gets in addition to its framework. */
export interface Setup {
    /** The authorization server of another process; empty for candidates that need none. */
    readonly issuer: string;
    /** Whether our own server issues signed tokens. */
    readonly signed: boolean;
    /** The URL of our own server's store; memory if absent. */
    readonly store?: string | undefined;
    /** The address that the server has for its clients. */
    readonly origin: string;
}
/** What a server process is started with. */
export interface ServerTask extends Omit<Setup, 'origin'> {
    readonly framework: Framework;
    readonly candidate: string;
    /** By default the address of its plain port. */
    readonly origin?: string | undefined;
    /** If present, the server listens on a second port with TLS. */
    readonly certificate?: Certificate | undefined;
}
/** PEM texts. */
export interface Certificate {
    readonly cert: string;
    readonly key: string;
}
export declare const PATHS: {
    readonly authorize: '/oauth/authorize';
    readonly token: '/oauth/token';
    readonly introspect: '/oauth/introspect';
    readonly content: '/content';
    readonly api: '/api';
};
export declare const SCOPE = "content.read";
export declare const REDIRECT_URI = "https://app.example/cb";
/** The resource owner, who has allowed everything. */
export declare const OWNER = "alice";
/** Seconds. */
export declare const LIFETIMES: {
    readonly code: 600;
    readonly access: 3600;
    readonly refresh: 1209600;
};
export interface BenchClient {
    readonly client_id: string;
    readonly client_secret: string;
}
/** Acts for itself. */
export declare const SERVICE: BenchClient;
/** Acts for its owner: codes and refresh tokens. */
export declare const WEB: BenchClient;
/** May introspect every token. */
export declare const API: BenchClient;
export declare const CLIENTS: readonly BenchClient[];
export declare const basic: ({ client_id, client_secret }: BenchClient) => string;
/** The response of a guarded route. */
export declare const CONTENT: {
    readonly ok: true;
};
export declare const NO_STORE: {
    readonly 'cache-control': 'no-store';
    readonly pragma: 'no-cache';
};
export declare const JSON_TYPE = "application/json; charset=utf-8";
export declare const FORM_TYPE = "application/x-www-form-urlencoded";
/** Compares secrets in constant time, for candidates that leave this to their users. */
export declare function isSecretOf(client_id: string, secret: string | null | undefined): boolean;
/** The content of the query API: the first pages of a site. */
export declare const PAGES: {
    pageid: number;
    ns: number;
    title: string;
}[];
