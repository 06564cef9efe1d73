import { recorderOf, warning } from './finding.js';
import type { Answer } from './probe.js';
import type { Subject } from './subject.js';

export const TRANSPORT_RULES = {
  'certificate-lasts': warning(
    'The certificate is valid for weeks.',
    'When it expires, all clients stop working.',
    'Renew it, and find out why it was not renewed automatically.',
  ),
  hsts: warning(
    'Browsers are required to use https.',
    'Otherwise the first http request of a browser can be intercepted, including sign-ins (RFC 6797).',
    'Send Strict-Transport-Security with a max-age of at least half a year, from the proxy or the application.',
  ),
  clock: warning(
    'The clock of the server is right.',
    'Otherwise tokens appear expired or not yet valid, and signed assertions are rejected.',
    'Keep NTP running on the server, and check the clock of this machine, which it is compared with.',
  ),
};

const DAY = 86_400_000;

/** Days; renewal at two thirds of 90 days leaves 30. */
const ENOUGH_DAYS = 21;

/** Milliseconds. The `Date` header has whole seconds, and the response takes time. */
const CLOCK_TOLERANCE = 10_000;

const HALF_A_YEAR = 15_552_000;

/** What is wrong with the header of a response over https. */
export const hstsProblem = ({ headers }: Answer): string | undefined => {
  const value = headers['strict-transport-security'];
  if (value === undefined) return 'there is no Strict-Transport-Security';
  const maxAge = Number(/max-age="?(\d+)/i.exec(value)?.[1] ?? 0);
  return maxAge < HALF_A_YEAR ? `Strict-Transport-Security is ${value}` : undefined;
};

/** Checks that work with any response. */
export const checkTransport = ({ issuer, findings }: Subject, answer: Answer): void => {
  const record = recorderOf(TRANSPORT_RULES, findings);
  if (answer.certificateEnds !== undefined) {
    const days = Math.floor((answer.certificateEnds - answer.at) / DAY);
    record('certificate-lasts', days < ENOUGH_DAYS && `it ends in ${days} ${days === 1 ? 'day' : 'days'}`);
  }
  if (new URL(issuer).protocol === 'https:') record('hsts', hstsProblem(answer));
  const date = Date.parse(answer.headers.date ?? '');
  if (Number.isNaN(date)) return;
  const skew = date + 500 - answer.at;
  const seconds = Math.round(Math.abs(skew) / 1000);
  record('clock', Math.abs(skew) > CLOCK_TOLERANCE && `it is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}`);
};
