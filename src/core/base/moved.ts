/** An option that had this name or place in an earlier version. */
export interface MovedOption {
  /** The functions that take the options. */
  readonly of: readonly string[];
  /** Its path in the options, such as `paths.api`. */
  readonly name: string;
  /** What it is now, as the end of the sentence "options.x is now …". */
  readonly now: string;
  /** The code that takes its place. */
  readonly write: string;
}

const SERVER = ['oauthQuery'];
const VERIFIERS = ['jwtVerifier', 'introspectionVerifier'];

const LISTED = 'an element of options.features';

/** A value that had an option, and now stands in the list of features. */
const listed = (name: string, call: string, of: readonly string[] = SERVER): MovedOption => ({
  of,
  name,
  now: LISTED,
  write: `features: [${call}]`,
});

/**
 * Options of earlier versions. Errors at startup, `oauth-query doctor --upgrade` and docs/migration/from-0.3.md show these rows.
 */
export const MOVED_OPTIONS: readonly MovedOption[] = [
  listed('query', 'query({ … })'),
  listed('openid', 'openIdConnect({ … })'),
  listed('profile', 'profileResource({ … })'),
  listed('admin', 'adminPages({ … })'),
  listed('dpop', 'dpop()', [...SERVER, ...VERIFIERS]),
  listed('par', 'pushedRequests()'),
  listed('stepUp', 'stepUp()'),
  listed('tokens', 'personalTokens()'),
  listed('registration', 'selfRegistration()'),
  listed('customGrants', "customGrant('urn:example:grant', { … })"),
  ...['extensions', 'mcp', 'sandbox'].map((name) => ({
    of: ['query'],
    name,
    now: 'a feature next to query() in options.features',
    write: `features: [query({ … }), ${name === 'extensions' ? 'mcp(), sandbox(), openApi()' : `${name}()`}]`,
  })),
  { of: SERVER, name: 'paths.api', now: 'the option path of query()', write: "query({ path: '/api' })" },
  {
    of: SERVER,
    name: 'paths.tokens',
    now: 'the option path of personalTokens()',
    write: "personalTokens({ path: '/oauth/tokens' })",
  },
  { of: SERVER, name: 'paths.mcp', now: 'the option path of mcp()', write: "mcp({ path: '/mcp' })" },
  ...['pages', 'templates'].map((name) => ({
    of: SERVER,
    name,
    now: 'options.template, one function for all pages',
    write: 'template: (view) => pageOf(view)',
  })),
  { of: SERVER, name: 'timeouts', now: 'options.timeout', write: 'timeout: 8000' },
  {
    of: SERVER,
    name: 'accessTokens',
    now: "options.jwt, the keys or true; omit it for the format 'opaque'",
    write: 'jwt: true',
  },
  {
    of: SERVER,
    name: 'policy',
    now: 'three options',
    write: 'requirePkce: true, allowLocalhostRedirects: true, validateGrant: isAllowed',
  },
];

/** The sentences for the moved options of a function, by name. @param group - The option that they are in, such as `paths`. */
export const movedFrom = (caller: string, group = ''): Readonly<Record<string, string>> =>
  Object.fromEntries(
    MOVED_OPTIONS.filter(({ of, name }) => of.includes(caller) && name.startsWith(group)).map(
      ({ name, now, write }) => [name.slice(group.length), `${now}: ${write}`],
    ),
  );
