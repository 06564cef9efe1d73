/** A rule that was once wrong, or that no test noticed when it was. */
export interface Planted {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** What takes the place of the text. */
  readonly instead: string;
  /** Scenarios that are tried: a pattern of their names. */
  readonly scenarios: string;
}

const REFRESH = 'src/core/oauth/tokens/refresh-tokens.ts';
const CONNECTIONS = 'src/core/oauth/tokens/connections.ts';

export const PLANTED: readonly Planted[] = [
  {
    name: 'the time of a record is judged by the clock of its reader',
    file: 'src/core/oauth/records/window.ts',
    text: 'process === own.process ? 0 : CLOCK_DIFFERENCE',
    instead: '0',
    scenarios: 'refreshed and refreshed',
  },
  {
    name: 'a refresh is over with its write, not with its response (`done`)',
    file: REFRESH,
    text: 'const isDone = chain.done !== null;',
    instead: 'const isDone = true;',
    scenarios: 'a token is refreshed',
  },
  {
    name: 'grace is counted from the first write',
    file: REFRESH,
    text: 'chain.done === null ? last : parseWritten(chain.done)',
    instead: 'last',
    scenarios: 'refreshed',
  },
  {
    name: 'a proof with a nonce is remembered until its own time',
    file: 'src/features/dpop/checker.ts',
    text: 'this.#remember(proof, proof.ath, end)',
    instead: 'this.#remember(proof, proof.ath, (proof.iat + this.#options.maxAge) * 1000)',
    scenarios: 'a proof with a nonce',
  },
  {
    name: 'a sign-in revives an ended connection',
    file: CONNECTIONS,
    text: 'record?.ended === true ? undefined : record',
    instead: 'record',
    scenarios: 'connection',
  },
  {
    name: 'a swapped connection does not stay in its groups',
    file: CONNECTIONS,
    text: 'records.swap(key, known.rev, next, listedIn)',
    instead: 'records.swap(key, known.rev, next)',
    scenarios: 'extended after hours',
  },
  {
    name: 'a remembered approval covers every resource',
    file: 'src/core/oauth/code/remembered-consent.ts',
    text: '? consent.aud.length === 0',
    instead: '? true',
    scenarios: 'remembered',
  },
  {
    name: 'work goes on for a client that has gone',
    file: 'src/core/base/waiting.ts',
    text: '!request.hungUp && !answered.has(request)',
    instead: 'true',
    scenarios: 'redeemed and redeemed',
  },
];
