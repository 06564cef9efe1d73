import type { RequestListener } from 'node:http';
import type { Framework } from '../candidates.js';
import { type Setup } from './setting.js';
/** The options of the server, on every framework. */
export declare const optionsFor: ({ origin, signed, store }: Setup) => Promise<{
    issuer: string;
    secret: string;
    clients: ({
        client_id: string;
        client_secret: string;
        grant_types: "client_credentials"[];
        scope: string;
    } | {
        client_id: string;
        client_secret: string;
        redirect_uris: string[];
        scope: string;
    } | {
        client_id: string;
        client_secret: string;
        grant_types: "client_credentials"[];
        introspect: boolean;
    })[];
    scopes: {
        "content.read": string;
    };
    store: any;
    owner: () => {
        sub: string;
    };
    loginUrl: string;
    lifetimes: {
        authorizationCode: 600;
        accessToken: 3600;
        refreshTokenIdle: 1209600;
        rememberedConsent: number;
    };
    limits: {
        silentApprovals: number;
    };
    query: any;
    onWarning: () => undefined;
    accessTokens?: {
        format: 'jwt';
    };
}>;
export declare const listener: (framework: Framework, setup: Setup) => Promise<RequestListener>;
