import { parseUrl } from '../../core/base/addresses/url.js';
import { error, note, type Recorder, recorderOf, warning } from './finding.js';
import type { Answer } from './probe.js';
import { describe, FOREIGN_ORIGIN, headerOf, isJson, type Subject, withQuery } from './subject.js';

export const QUERY_RULES = {
  'query-on': note(
    'The query API is enabled.',
    'This is fine if you do not use it.',
    'To enable it, add query({ … }) to features; if it has a different path, pass it with --api.',
  ),
  'query-site': error(
    'The query API describes its site.',
    'Clients request meta=siteinfo first, and stop if that fails.',
    'Make sure that GET and POST requests to this path reach the server with their complete query.',
  ),
  'query-generator': error(
    'It reports a MediaWiki version supported by clients.',
    'Clients read the version from siteinfo, and reject unknown software.',
    'Keep the default generator, or begin it with MediaWiki and a version.',
  ),
  'query-server': warning(
    'The site is on the host of the issuer.',
    'Clients derive page URLs from it; behind a proxy it is often the internal address.',
    'Set query.site.server to the public URL of the site.',
  ),
  'query-paraminfo': error(
    'It describes its modules.',
    'Clients read the available parameters from action=paraminfo.',
    'Make sure that the proxy neither truncates the query nor drops parameters.',
  ),
  'query-errors': error(
    'Clients understand its errors.',
    'Clients look for error.code in the body and for the header MediaWiki-API-Error.',
    'Make sure that the proxy does not modify errors and their headers.',
  ),
  'query-cors': warning(
    'Scripts of other origins may send anonymous requests.',
    'A script that sends origin=* expects Access-Control-Allow-Origin: *, as from any MediaWiki.',
    'Make sure that neither the proxy nor CORS middleware of the application changes the header.',
  ),
  'query-token': error(
    'An invalid token is rejected, not ignored.',
    'Otherwise a client with an expired token would unknowingly get anonymous responses.',
    'Make sure that the proxy forwards the Authorization header.',
  ),
};

type Id = keyof typeof QUERY_RULES;

type Json = Readonly<Record<string, unknown>>;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Json)[name] : undefined),
    value,
  );

const codeOf = (answer: Answer): unknown => at(answer.json, 'error', 'code');

const checkSite = (general: unknown, issuer: string, record: Recorder<Id>): void => {
  const generator = at(general, 'generator');
  record(
    'query-generator',
    !(typeof generator === 'string' && /^MediaWiki \d+\.\d+/.test(generator)) &&
      `generator is ${JSON.stringify(generator)}`,
  );
  const server = at(general, 'server');
  if (typeof server !== 'string') return;
  const url = parseUrl(server, issuer);
  if (url === undefined) return;
  record('query-server', url.host !== new URL(issuer).host && `server is ${server}`);
};

/** Checks the query API from the perspective of a MediaWiki client. */
export const checkQuery = async (subject: Subject): Promise<void> => {
  const record = recorderOf(QUERY_RULES, subject.findings);
  const ask = (parameters: Readonly<Record<string, string>>, headers = {}): Promise<Answer> =>
    subject.probe.ask(withQuery(subject.api, { format: 'json', formatversion: '2', ...parameters }), { headers });
  const site = await ask(
    { action: 'query', meta: 'siteinfo', siprop: 'general', origin: '*' },
    { origin: FOREIGN_ORIGIN },
  );
  if ([404, 405].includes(site.status)) {
    record('query-on', `${subject.api.href} is answered with ${describe(site)}`);
    return;
  }
  record('query-on');
  const general = at(site.json, 'query', 'general');
  const isThere = isJson(site) && general !== undefined;
  record('query-site', !isThere && `meta=siteinfo is answered with ${describe(site)}`);
  if (!isThere) return;
  checkSite(general, subject.issuer, record);
  const isOpen = site.headers['access-control-allow-origin'] === '*';
  record('query-cors', !isOpen && `with origin=* ${headerOf(site, 'Access-Control-Allow-Origin')}`);

  const paraminfo = await ask({ action: 'paraminfo', modules: 'query+siteinfo' });
  const modules = at(paraminfo.json, 'paraminfo', 'modules');
  record(
    'query-paraminfo',
    !(Array.isArray(modules) && modules.length === 1) && `action=paraminfo is answered with ${describe(paraminfo)}`,
  );

  const wrong = await ask({ action: 'an-unknown-action' });
  const code = codeOf(wrong);
  const isError = typeof code === 'string' && wrong.headers['mediawiki-api-error'] === code;
  record(
    'query-errors',
    !isError && `an unknown action is answered with ${describe(wrong)}, without error.code or MediaWiki-API-Error`,
  );

  const stranger = await ask({ action: 'query', meta: 'userinfo' }, { authorization: 'Bearer an-unknown-token' });
  const isRefused = stranger.status === 401 || codeOf(stranger) !== undefined;
  record('query-token', !isRefused && `a wrong token is answered with ${describe(stranger)}`);
};
