import { parseUrl } from '../../core/base/addresses/url.js';
import { error, note, type Recorder, recorderOf, warning } from './finding.js';
import type { Answer } from './probe.js';
import {
  describe,
  type Discovered,
  FOREIGN_ORIGIN,
  headerOf,
  noStoreProblem,
  type Subject,
  withQuery,
} from './subject.js';

export const PAGE_RULES = {
  'authorize-unknown-client': error(
    'An unknown client leads to an error page, not to a redirect.',
    'A server that redirects browsers to any URL helps to steal codes and passwords (RFC 6749 §4.1.2.1).',
    'Show an error page if client_id or redirect_uri is not registered; never redirect to it.',
  ),
  'authorize-escapes': error(
    'Pages escape values from the request.',
    'Otherwise a link could run a script on the sign-in page.',
    'Write your own pages with the tag `html` of this package, which escapes every value.',
  ),
  'authorize-cors': error(
    'Scripts of other origins cannot read the pages.',
    'The authorization endpoint is for navigation, not for fetch; it must not support CORS (RFC 9700 §2.6).',
    'Exclude the pages from the CORS middleware of the application.',
  ),
  'page-framing': error(
    'The pages cannot be framed.',
    'In an invisible frame, users can be tricked into allowing access (RFC 6749 §10.13).',
    "Send Content-Security-Policy with frame-ancestors 'none', and X-Frame-Options: DENY.",
  ),
  'page-policy': warning(
    'The pages restrict which scripts may run.',
    'Otherwise an unescaped value could run as a script (RFC 9700 §4.16).',
    "Send Content-Security-Policy with default-src 'none' plus what the page needs, without 'unsafe-inline' scripts.",
  ),
  'page-referrer': warning(
    'The pages do not leak their URL.',
    'The URL contains state and more, and would be sent with every link and image (RFC 9700 §4.2.4).',
    'Send Referrer-Policy: no-referrer.',
  ),
  'page-cache': warning(
    'The pages must not be cached.',
    'Otherwise the page of one user could be shown to another.',
    'Send Cache-Control: no-store.',
  ),
  'page-type': note(
    'Browsers do not sniff the content type of the pages.',
    'A browser that sniffs may execute what was meant to be text.',
    'Send X-Content-Type-Options: nosniff.',
  ),
  'page-cookies': error(
    'Scripts and other sites cannot use the cookies of the pages.',
    'A stolen cookie is a stolen session; without SameSite, other sites can use it (RFC 9700 §4.7).',
    'Set HttpOnly and SameSite on every cookie, and Secure if the issuer is https.',
  ),
};

type Id = keyof typeof PAGE_RULES;

/** Markup that must be escaped in the response. */
const MARKUP = '"><doctor>';

const isPage = ({ headers }: Answer): boolean => /^text\/html\b/i.test(headers['content-type'] ?? '');

/** Whether a browser would be sent to the foreign origin. */
export const leadsAway = ({ headers: { location } }: Answer, from: URL): boolean =>
  location !== undefined && parseUrl(location, from)?.origin === FOREIGN_ORIGIN;

const cookieProblems = ({ cookies }: Answer, isHttps: boolean): readonly string[] =>
  cookies.flatMap((cookie) => {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
    const has = (name: string): boolean =>
      attributes.some((attribute) => attribute.split('=', 1)[0]?.toLowerCase() === name);
    const missing = [
      ...(has('httponly') ? [] : ['HttpOnly']),
      ...(has('samesite') ? [] : ['SameSite']),
      ...(has('secure') || !isHttps ? [] : ['Secure']),
    ];
    return missing.length === 0 ? [] : [`the cookie ${pair.split('=', 1)[0]} is set without ${missing.join(', ')}`];
  });

const policyOf = ({ headers }: Answer): string => {
  const value = headers['content-security-policy'] ?? '';
  return Array.isArray(value) ? value.join('; ') : value;
};

const isFramable = (page: Answer): boolean =>
  !/frame-ancestors\s+('none'|'self')/i.test(policyOf(page)) &&
  !/^(deny|sameorigin)$/i.test(String(page.headers['x-frame-options'] ?? ''));

const lacksPolicy = (page: Answer): boolean => {
  const policy = policyOf(page);
  const scripts =
    /(?:^|;)\s*script-src\s([^;]*)/i.exec(policy)?.[1] ?? /(?:^|;)\s*default-src\s([^;]*)/i.exec(policy)?.[1];
  return scripts === undefined || /'unsafe-inline'|(?:^|\s)\*(?:\s|$)/i.test(scripts);
};

const SAFE_REFERRER =
  /^(no-referrer|same-origin|origin|strict-origin|origin-when-cross-origin|strict-origin-when-cross-origin)$/i;

/** What a header field of each page must not be. */
const HEADER_CHECKS: readonly (readonly [id: Id, name: string, isWrong: (value: string, page: Answer) => boolean])[] = [
  ['page-policy', 'Content-Security-Policy', (_, page) => lacksPolicy(page)],
  ['page-referrer', 'Referrer-Policy', (value) => !SAFE_REFERRER.test(value.split(',').at(-1)?.trim() ?? '')],
  ['page-cache', 'Cache-Control', (_, page) => noStoreProblem(page) !== false],
  ['page-type', 'X-Content-Type-Options', (value) => value.toLowerCase() !== 'nosniff'],
  ['authorize-cors', 'Access-Control-Allow-Origin', (_, { headers }) => 'access-control-allow-origin' in headers],
];

const checkHeaders = (pages: ReadonlyMap<string, Answer>, isHttps: boolean, record: Recorder<Id>): void => {
  const told = (id: Id, problems: (page: Answer) => readonly string[]): void =>
    record(
      id,
      [...pages].flatMap(([path, page]) => problems(page).map((what) => `${path}: ${what}`)),
    );
  const unframed = ['neither frame-ancestors nor X-Frame-Options is restrictive'];
  told('page-framing', (page) => (isFramable(page) ? unframed : []));
  for (const [id, name, isWrong] of HEADER_CHECKS) {
    const value = ({ headers }: Answer): string => String(headers[name.toLowerCase()] ?? '');
    told(id, (page) => (isWrong(value(page), page) ? [headerOf(page, name)] : []));
  }
  told('page-cookies', (page) => cookieProblems(page, isHttps));
};

/** Checks the pages: the response to an unknown client, and the page for user codes. */
export const checkPages = async (subject: Subject, { endpoints }: Discovered): Promise<void> => {
  const record = recorderOf(PAGE_RULES, subject.findings);
  const pages = new Map<string, Answer>();
  const headers = { origin: FOREIGN_ORIGIN, accept: 'text/html' };
  const authorize = endpoints.authorization_endpoint;
  if (authorize !== undefined) {
    const client_id = subject.unknownClient + MARKUP;
    const url = withQuery(authorize, { response_type: 'code', client_id, redirect_uri: `${FOREIGN_ORIGIN}/callback` });
    const answer = await subject.probe.ask(url, { headers });
    const isWrong = answer.status >= 500 || answer.status < 300 || leadsAway(answer, url);
    record('authorize-unknown-client', isWrong && `it is answered with ${describe(answer)}`);
    if (isPage(answer)) {
      record('authorize-escapes', answer.text.includes(MARKUP) && 'the page contains the unescaped client_id');
      pages.set(url.pathname, answer);
    }
  }
  const device = endpoints.device_authorization_endpoint;
  const answer = device && (await subject.probe.ask(device, { headers }));
  if (device && answer && isPage(answer)) pages.set(device.pathname, answer);
  if (pages.size > 0) checkHeaders(pages, subject.issuer.startsWith('https:'), record);
};
