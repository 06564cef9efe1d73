import { type Judge, judgeOf } from './finding.js';
import { type Answer, ProbeFailure } from './probe.js';
import { describe, FOREIGN_ORIGIN, isJson, type Subject, tryAsk } from './subject.js';

export const QUERY_RULES = {
  'query-on': {
    severity: 'note',
    holds: 'There is a query API.',
    why: 'Nothing is wrong if it is not switched on.',
    remedy: 'Set the option query if there should be one, and give its path with --api if it is another.',
  },
  'query-site': {
    severity: 'error',
    holds: 'The query API says what site it is.',
    why: 'Clients ask meta=siteinfo first, and go no further without an answer.',
    remedy: 'Let GET and POST requests to this path reach the server with their whole query.',
  },
  'query-generator': {
    severity: 'error',
    holds: 'It calls itself a MediaWiki that clients talk to.',
    why: 'Clients read the version out of siteinfo, and refuse what they do not know.',
    remedy: 'Leave generator as the package writes it, or begin it with MediaWiki and a version.',
  },
  'query-server': {
    severity: 'warning',
    holds: 'The site is on the host of the issuer.',
    why: 'Clients make addresses of pages of it; behind a proxy it is easily the inner one.',
    remedy: 'Set query.site.server to the address by which the site is visited.',
  },
  'query-paraminfo': {
    severity: 'error',
    holds: 'It describes its modules.',
    why: 'Clients learn from action=paraminfo which parameters there are.',
    remedy: 'Let the whole query through: a proxy that cuts it or keeps only known parameters breaks it.',
  },
  'query-errors': {
    severity: 'error',
    holds: 'Its errors are ones that clients understand.',
    why: 'Clients look for error.code in the body and for the header MediaWiki-API-Error.',
    remedy: 'Let errors and their headers come back unchanged.',
  },
  'query-cors': {
    severity: 'warning',
    holds: 'Scripts of other origins may ask without signing in.',
    why: 'A script that sends origin=* expects Access-Control-Allow-Origin: *, as at every MediaWiki.',
    remedy: 'Let the header through the proxy, and no CORS middleware of the host change it.',
  },
  'query-token': {
    severity: 'error',
    holds: 'A wrong token is refused, and not taken for none.',
    why: 'A client with an expired token would get the answers for strangers and not know it.',
    remedy: 'Let the proxy pass the Authorization header on.',
  },
} as const;

type Id = keyof typeof QUERY_RULES;

type Json = Readonly<Record<string, unknown>>;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Json)[name] : undefined),
    value,
  );

const codeOf = (answer: Answer): unknown => at(answer.json, 'error', 'code');

const checkSite = (general: unknown, issuer: string, judge: Judge<Id>): void => {
  const generator = at(general, 'generator');
  judge(
    'query-generator',
    !(typeof generator === 'string' && /^MediaWiki \d+\.\d+/.test(generator)) &&
      `generator is ${JSON.stringify(generator)}`,
  );
  const server = at(general, 'server');
  if (typeof server !== 'string' || !URL.canParse(server, issuer)) return;
  judge('query-server', new URL(server, issuer).host !== new URL(issuer).host && `server is ${server}`);
};

/** The query API, as a MediaWiki client meets it. */
export const checkQuery = async (subject: Subject): Promise<void> => {
  const judge = judgeOf(QUERY_RULES, subject.findings);
  const ask = (parameters: Readonly<Record<string, string>>, headers = {}): Promise<Answer | ProbeFailure> => {
    const url = new URL(subject.api);
    for (const [name, value] of Object.entries({ format: 'json', formatversion: '2', ...parameters }))
      url.searchParams.set(name, value);
    return tryAsk(subject, url, { headers });
  };
  const site = await ask(
    { action: 'query', meta: 'siteinfo', siprop: 'general', origin: '*' },
    { origin: FOREIGN_ORIGIN },
  );
  if (!(site instanceof ProbeFailure) && [404, 405].includes(site.status)) {
    judge('query-on', `${subject.api.href} is answered with ${describe(site)}`);
    return;
  }
  judge('query-on');
  const general = site instanceof ProbeFailure ? undefined : at(site.json, 'query', 'general');
  const isThere = !(site instanceof ProbeFailure) && isJson(site) && general !== undefined;
  judge('query-site', !isThere && `meta=siteinfo is answered with ${describe(site)}`);
  if (!isThere) return;
  checkSite(general, subject.issuer, judge);
  const allowed = site.headers['access-control-allow-origin'];
  judge('query-cors', allowed !== '*' && `with origin=* Access-Control-Allow-Origin is ${allowed ?? 'missing'}`);

  const paraminfo = await ask({ action: 'paraminfo', modules: 'query+siteinfo' });
  const modules = paraminfo instanceof ProbeFailure ? undefined : at(paraminfo.json, 'paraminfo', 'modules');
  judge(
    'query-paraminfo',
    !(Array.isArray(modules) && modules.length === 1) && `action=paraminfo is answered with ${describe(paraminfo)}`,
  );

  const wrong = await ask({ action: 'an-action-that-nobody-has' });
  const isError =
    !(wrong instanceof ProbeFailure) &&
    typeof codeOf(wrong) === 'string' &&
    wrong.headers['mediawiki-api-error'] === codeOf(wrong);
  judge(
    'query-errors',
    !isError && `an unknown action is answered with ${describe(wrong)}, without error.code or MediaWiki-API-Error`,
  );

  const stranger = await ask(
    { action: 'query', meta: 'userinfo' },
    { authorization: 'Bearer a-token-that-nobody-has' },
  );
  const isRefused = !(stranger instanceof ProbeFailure) && (stranger.status === 401 || codeOf(stranger) !== undefined);
  judge('query-token', !isRefused && `a wrong token is answered with ${describe(stranger)}`);
};
