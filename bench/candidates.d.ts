/** The candidates and the works they take part in. Their code is in `servers/`. */
export declare const frameworks: readonly ['express', 'koa', 'fastify'];
export type Framework = (typeof frameworks)[number];
/** Work requested over HTTP, from a server process whose CPU time is read. */
export declare const httpWorks: readonly ['token', 'flow', 'code', 'refresh', 'introspect', 'guard', 'guard-remote', 'guard-jwt', 'guard-jwt-fresh', 'api'];
export type HttpWork = (typeof httpWorks)[number];
export declare const works: readonly ["token", "flow", "code", "refresh", "introspect", "guard", "guard-remote", "guard-jwt", "guard-jwt-fresh", "api", "parse", "imports", "size", "memory"];
export type Work = (typeof works)[number];
export declare const titles: Readonly<Record<Work, string>>;
export interface Candidate {
    readonly name: string;
    readonly frameworks: readonly Framework[];
    readonly works: readonly HttpWork[];
    /** Facts that a reader needs to judge the comparison. */
    readonly remark?: string;
}
export declare const BARE = "bare";
export declare const MINIMUM = "minimum";
export declare const OURS = "oauth-query";
export declare const FRONT = "oauth-query, front";
/** Another build of the package, if two are compared. */
export declare const BEFORE = "oauth-query, before";
export declare const candidates: readonly Candidate[];
export declare const isOurs: (name: string) => boolean;
/** The candidates for this work on this framework, in the order of the table. */
export declare const candidatesFor: (work: HttpWork, framework: Framework) => readonly Candidate[];
