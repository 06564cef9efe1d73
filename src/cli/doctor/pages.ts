import { type Judge, judgeOf } from './finding.js';
import { type Answer, ProbeFailure } from './probe.js';
import { describe, type Discovered, FOREIGN_ORIGIN, isNoStore, type Subject, tryAsk } from './subject.js';

export const PAGE_RULES = {
  'authorize-unknown-client': {
    severity: 'error',
    holds: 'An unknown client gets a page, and nobody is sent to its address.',
    why: 'A server that sends browsers to any address serves who steals codes or passwords (RFC 6749 §4.1.2.1).',
    remedy: 'Show an error page when client_id or redirect_uri is not registered; never redirect to it.',
  },
  'authorize-escapes': {
    severity: 'error',
    holds: 'What a request holds does not become part of the page.',
    why: 'A link could run a script on the page where people sign in.',
    remedy: 'Escape every value in your own pages, with escapeHtml of this package.',
  },
  'authorize-cors': {
    severity: 'error',
    holds: 'Scripts of other origins cannot read the pages.',
    why: 'The authorization endpoint is visited, never fetched; it must not support CORS (RFC 9700 §2.6).',
    remedy: 'Keep the CORS middleware of the host away from the pages.',
  },
  'page-framing': {
    severity: 'error',
    holds: 'The pages cannot be put into a frame.',
    why: 'Under an invisible frame people allow what they do not see (RFC 6749 §10.13).',
    remedy: "Send Content-Security-Policy with frame-ancestors 'none', and X-Frame-Options: DENY.",
  },
  'page-policy': {
    severity: 'warning',
    holds: 'The pages say which scripts may run on them.',
    why: 'A value that slipped through unescaped could run as a script (RFC 9700 §4.16).',
    remedy:
      "Send Content-Security-Policy with default-src 'none' and what the page needs, without 'unsafe-inline' scripts.",
  },
  'page-referrer': {
    severity: 'warning',
    holds: 'The address of a page goes nowhere else.',
    why: 'It holds state and more, and goes with every link and picture of the page (RFC 9700 §4.2.4).',
    remedy: 'Send Referrer-Policy: no-referrer.',
  },
  'page-cache': {
    severity: 'warning',
    holds: 'No cache keeps the pages.',
    why: 'A page for one person could be shown to the next.',
    remedy: 'Send Cache-Control: no-store.',
  },
  'page-type': {
    severity: 'note',
    holds: 'Browsers do not guess what the pages are.',
    why: 'A browser that guesses may run what was meant to be text.',
    remedy: 'Send X-Content-Type-Options: nosniff.',
  },
  'page-cookies': {
    severity: 'error',
    holds: 'Cookies of the pages are out of the reach of scripts and other sites.',
    why: 'Who gets the cookie is signed in; without SameSite other sites act with it (RFC 9700 §4.7).',
    remedy: 'Set HttpOnly and SameSite on every cookie, and Secure where the issuer is https.',
  },
} as const;

type Id = keyof typeof PAGE_RULES;

/** A piece of markup that must not come back as one. */
const MARKUP = '"><doctor>';

const isPage = (answer: Answer | ProbeFailure | undefined): answer is Answer =>
  answer !== undefined &&
  !(answer instanceof ProbeFailure) &&
  /^text\/html\b/i.test(answer.headers['content-type'] ?? '');

const leadsAway = ({ headers: { location } }: Answer, from: URL): boolean =>
  location !== undefined && URL.canParse(location, from.href) && new URL(location, from).origin === FOREIGN_ORIGIN;

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

const checkHeaders = (pages: ReadonlyMap<string, Answer>, isHttps: boolean, judge: Judge<Id>): void => {
  const at = (isWrong: (page: Answer) => boolean, what: (page: Answer) => string): readonly string[] =>
    [...pages].filter(([, page]) => isWrong(page)).map(([path, page]) => `${path}: ${what(page)}`);
  const value = ({ headers }: Answer, name: string): string => String(headers[name] ?? 'missing');
  judge(
    'page-framing',
    at(isFramable, () => 'neither frame-ancestors nor X-Frame-Options keeps others out'),
  );
  judge(
    'page-policy',
    at(lacksPolicy, (page) => `Content-Security-Policy is ${value(page, 'content-security-policy')}`),
  );
  judge(
    'page-referrer',
    at(
      (page) => !SAFE_REFERRER.test(value(page, 'referrer-policy').split(',').at(-1)?.trim() ?? ''),
      (page) => `Referrer-Policy is ${value(page, 'referrer-policy')}`,
    ),
  );
  judge(
    'page-cache',
    at(
      (page) => !isNoStore(page),
      (page) => `Cache-Control is ${value(page, 'cache-control')}`,
    ),
  );
  judge(
    'page-type',
    at(
      (page) => value(page, 'x-content-type-options').toLowerCase() !== 'nosniff',
      (page) => `X-Content-Type-Options is ${value(page, 'x-content-type-options')}`,
    ),
  );
  judge(
    'authorize-cors',
    at(
      ({ headers }) => headers['access-control-allow-origin'] !== undefined,
      (page) => `Access-Control-Allow-Origin is ${value(page, 'access-control-allow-origin')}`,
    ),
  );
  judge(
    'page-cookies',
    [...pages].flatMap(([path, page]) => cookieProblems(page, isHttps).map((what) => `${path}: ${what}`)),
  );
};

/** What people see: the answer to a client that nobody knows, and the page where a user code is typed. */
export const checkPages = async (subject: Subject, { endpoints }: Discovered): Promise<void> => {
  const judge = judgeOf(PAGE_RULES, subject.findings);
  const pages = new Map<string, Answer>();
  const headers = { origin: FOREIGN_ORIGIN, accept: 'text/html' };
  const authorize = endpoints.authorization_endpoint;
  if (authorize !== undefined) {
    const url = new URL(authorize);
    url.searchParams.set('response_type', 'code');
    url.searchParams.set('client_id', subject.nobody + MARKUP);
    url.searchParams.set('redirect_uri', `${FOREIGN_ORIGIN}/callback`);
    const answer = await tryAsk(subject, url, { headers });
    const isWrong =
      answer instanceof ProbeFailure || answer.status >= 500 || answer.status < 300 || leadsAway(answer, url);
    judge('authorize-unknown-client', isWrong && `it is answered with ${describe(answer)}`);
    if (isPage(answer)) {
      judge('authorize-escapes', answer.text.includes(MARKUP) && 'the client_id stands in the page as it was sent');
      pages.set(url.pathname, answer);
    }
  }
  const device = endpoints.device_authorization_endpoint;
  const answer = device && (await tryAsk(subject, device, { headers }));
  if (device !== undefined && isPage(answer)) pages.set(device.pathname, answer);
  if (pages.size > 0) checkHeaders(pages, subject.issuer.startsWith('https:'), judge);
};
