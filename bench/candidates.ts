/** The candidates and the works they take part in. Their code is in `servers/`. */

export const frameworks = ['express', 'koa', 'fastify'] as const;
export type Framework = (typeof frameworks)[number];

/** Work requested over HTTP, from a server process whose CPU time is read. */
export const httpWorks = [
  'token',
  'flow',
  'code',
  'refresh',
  'introspect',
  'guard',
  'guard-remote',
  'guard-jwt',
  'guard-jwt-fresh',
  'api',
] as const;
export type HttpWork = (typeof httpWorks)[number];

/** Work measured in processes of its own. */
const processWorks = ['parse', 'imports', 'size', 'memory', 'allocation'] as const;

export const works = [...httpWorks, ...processWorks] as const;
export type Work = (typeof works)[number];

export const titles: Readonly<Record<Work, string>> = {
  token: 'Token by client credentials',
  flow: 'Whole code flow: authorization request of an owner who has allowed the client before, and redemption with PKCE',
  code: 'Authorization code with PKCE redeemed',
  refresh: 'Refresh token rotated',
  introspect: 'Introspection of a live token',
  guard: 'Guarded GET, token known to the same process',
  'guard-remote': 'Guarded GET, introspected at another process and cached',
  'guard-jwt': 'Guarded GET, signed tokens that were verified before',
  'guard-jwt-fresh': 'Guarded GET, each signed token for the first time',
  api: 'Query API, a list of ten pages',
  parse: 'Query of 21 parameters parsed and validated',
  imports: 'Import, in addition to node alone',
  size: 'Installed size with dependencies',
  memory: 'Heap per live token',
  allocation: 'Allocated for a piece of work',
};

export interface Candidate {
  readonly name: string;
  readonly frameworks: readonly Framework[];
  readonly works: readonly HttpWork[];
  /** Facts that a reader needs to judge the comparison. */
  readonly remark?: string;
}

const issuing = ['token', 'flow', 'code', 'refresh'] as const;
const signed = ['guard-jwt', 'guard-jwt-fresh'] as const;

export const BARE = 'bare';
export const MINIMUM = 'minimum';
/** The same with the records of this package. */
export const MINIMUM_PLUS = 'minimum+';
export const OURS = 'oauth-query';
export const FRONT = 'oauth-query, front';
/** Every feature is on, and the requests use none of them. */
export const FEATURES = 'oauth-query, every feature';
/** The same server; its client asks for an ID token as well. */
export const ID_TOKEN = 'oauth-query, with an ID token';
/** Another build of the package, if two are compared. */
export const BEFORE = 'oauth-query, before';

export const candidates: readonly Candidate[] = [
  {
    name: BARE,
    frameworks,
    works: httpWorks,
    remark: 'a route of the framework with its usual body parser that sends as many bytes and does nothing else',
  },
  {
    name: MINIMUM,
    frameworks,
    works: [...issuing, 'introspect', 'guard'],
    remark:
      'hand-written: the least that stores tokens as hashes, redeems a code once and with PKCE, rotates refresh tokens and revokes a grant at reuse; not for production',
  },
  {
    name: MINIMUM_PLUS,
    frameworks,
    works: [...issuing, 'introspect', 'guard'],
    remark:
      'the minimum with the records of this package, hand-written: connections, grants that can be listed, chains that are replaced by compare-and-swap, derived successors, remembered approvals; not for production',
  },
  {
    name: OURS,
    frameworks,
    works: httpWorks,
    remark: 'memory store; opaque tokens, signed ones (ES256) for JWT guards',
  },
  {
    name: FRONT,
    frameworks,
    works: [...issuing, 'introspect', 'api'],
    remark: '`oauth-query/node` in front of the framework',
  },
  {
    name: FEATURES,
    frameworks: ['fastify'],
    works: [...issuing, 'introspect', 'guard'],
    remark:
      'OpenID Connect, DPoP, pushed requests, personal tokens, the admin pages, client documents, tools, sandbox, OpenAPI and 100 more clients are on; the requests use none of them',
  },
  {
    name: ID_TOKEN,
    frameworks: ['fastify'],
    works: ['flow', 'code'],
    remark: 'the same server, and its client asks for an ID token (RS256) as well',
  },
  {
    name: '@node-oauth/oauth2-server',
    frameworks: ['express'],
    works: [...issuing, 'guard'],
    remark: 'by @node-oauth/express-oauth-server, model in Maps; opaque tokens; it has no introspection endpoint',
  },
  {
    name: '@jmondi/oauth2-server',
    frameworks: ['express', 'fastify'],
    works: [...issuing, 'introspect'],
    remark:
      'repositories in Maps; access tokens are HS256 JWTs, its only form; codes and refresh tokens opaque; no guard',
  },
  {
    name: 'oidc-provider',
    frameworks: ['koa'],
    works: [...issuing, 'introspect'],
    remark: 'is a Koa application itself; adapter in a Map, opaque tokens, no ID token requested; no guard',
  },
  {
    name: 'express-oauth2-jwt-bearer',
    frameworks: ['express'],
    works: signed,
    remark: 'issuer, audience and scope checked',
  },
  { name: 'koa-jwt', frameworks: ['koa'], works: signed, remark: 'public key given; scope compared by the route' },
  {
    name: '@fastify/jwt',
    frameworks: ['fastify'],
    works: signed,
    remark: 'public key given, its cache of verified tokens on; scope compared by the route',
  },
];

const ours: readonly string[] = [OURS, FRONT, FEATURES, ID_TOKEN];
export const isOurs = (name: string): boolean => ours.includes(name);

/** The candidates for this work on this framework, in the order of the table. */
export const candidatesFor = (work: HttpWork, framework: Framework): readonly Candidate[] =>
  candidates.filter((one) => one.works.includes(work) && one.frameworks.includes(framework));
