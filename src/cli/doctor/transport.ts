import { judgeOf } from './finding.js';
import type { Answer } from './probe.js';
import type { Subject } from './subject.js';

export const TRANSPORT_RULES = {
  'certificate-lasts': {
    severity: 'warning',
    holds: 'The certificate lasts for weeks.',
    why: 'On the day on which it ends, every client stops at once.',
    remedy: 'Renew it, and find out why it was not renewed by itself.',
  },
  hsts: {
    severity: 'warning',
    holds: 'Browsers are told to come by https only.',
    why: 'The first request of a browser to http can be caught, and sign-ins with it (RFC 6797).',
    remedy: 'Send Strict-Transport-Security with a max-age of at least half a year, from the proxy or the host.',
  },
  clock: {
    severity: 'warning',
    holds: 'The clock of the server is right.',
    why: 'Tokens seem expired or not yet valid, and signed assertions are refused.',
    remedy: 'Keep NTP running on the server – and look at the clock of this machine, which it is compared with.',
  },
} as const;

const DAY = 86_400_000;

/** Days; renewal at two thirds of 90 days leaves 30. */
const ENOUGH_DAYS = 21;

/** Milliseconds. A `Date` has whole seconds, and the way takes some. */
const CLOCK_TOLERANCE = 10_000;

const HALF_A_YEAR = 15_552_000;

const hstsProblem = ({ headers }: Answer): string | undefined => {
  const value = headers['strict-transport-security'];
  if (value === undefined) return 'there is no Strict-Transport-Security';
  const maxAge = Number(/max-age="?(\d+)/i.exec(value)?.[1] ?? 0);
  return maxAge < HALF_A_YEAR ? `Strict-Transport-Security is ${value}` : undefined;
};

/** What can be seen on any answer. */
export const checkTransport = ({ issuer, findings }: Subject, answer: Answer): void => {
  const judge = judgeOf(TRANSPORT_RULES, findings);
  if (answer.certificateEnds !== undefined) {
    const days = Math.floor((answer.certificateEnds - answer.at) / DAY);
    judge('certificate-lasts', days < ENOUGH_DAYS && `it ends in ${days} ${days === 1 ? 'day' : 'days'}`);
  }
  if (new URL(issuer).protocol === 'https:') judge('hsts', hstsProblem(answer));
  const date = Date.parse(answer.headers.date ?? '');
  if (Number.isNaN(date)) return;
  const skew = date + 500 - answer.at;
  const seconds = Math.round(Math.abs(skew) / 1000);
  judge('clock', Math.abs(skew) > CLOCK_TOLERANCE && `it is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}`);
};
