import { createHash } from 'node:crypto';
import type { FeatureHost, Parts } from '../../core/feature/index.js';
import type { Checked } from './claim-checks.js';
import { ended, type Refusal, replayed } from './refusal.js';

type EndingGrants = Parameters<NonNullable<NonNullable<Parts['ended']>['beforeEnd']>>[0];

/** A change that lost a race is repeated, but not for ever. */
const ATTEMPTS = 20;

/** The longest assertion that any issuer may have, and the difference of clocks, in seconds: a mark outlives all that it ends. */
const MARKED_FOR = 86_400 + 120;

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** What assertions of one kind have in common: if one of these has ended, all that were made before are refused. */
interface Subject {
  readonly issuer: string;
  readonly client_id: string;
  readonly sub: string;
}

const endOf = (...parts: readonly string[]): string => `end:${digest(...parts)}`;

const endsOf = ({ issuer, client_id, sub }: Subject): readonly string[] => [
  endOf('issuer', issuer),
  endOf('client', client_id),
  endOf('sub', sub),
  endOf('pair', sub, client_id),
];

const markOf = ({ sub, client_id, issuer }: EndingGrants): string => {
  if (issuer !== undefined) return endOf('issuer', issuer);
  if (sub === undefined) return endOf('client', client_id ?? '');
  return client_id === undefined ? endOf('sub', sub) : endOf('pair', sub, client_id);
};

/** What happened to assertions, in records that all processes share: which have been used, and which were made before grants ended. */
export class Uses {
  readonly #host: FeatureHost;
  readonly #tolerance: number;

  /** @param tolerance - Seconds by which clocks may differ. */
  constructor(host: FeatureHost, tolerance: number) {
    this.#host = host;
    this.#tolerance = tolerance;
  }

  /** Uses an assertion up, if it works once. @returns why it is refused: it was used before, or is older than an end of access. */
  async refusal(
    { issuer: { issuer, use }, iat, jti, exp }: Checked,
    of: Pick<Subject, 'client_id' | 'sub'>,
  ): Promise<Refusal | undefined> {
    if (await this.isEnded(iat, { issuer, ...of })) return ended().by(issuer);
    if (use === 'untilExpiry') return undefined;
    const isFirst = await this.spend(issuer, jti ?? '', Math.ceil(exp) + this.#tolerance);
    return isFirst ? undefined : replayed().by(issuer);
  }

  /**
   * Uses up an assertion.
   *
   * @param exp - Seconds since the epoch: from then on it is refused anyway.
   * @returns whether it was not used before; exactly one of any number of simultaneous calls returns `true`.
   */
  spend(issuer: string, jti: string, exp: number): Promise<boolean> {
    return this.#host.records.add(`use:${digest(issuer, jti)}`, { exp });
  }

  /** Records that grants end now: assertions that are older begin no new ones. */
  async end(grants: EndingGrants): Promise<void> {
    const { records, clock } = this.#host;
    const key = markOf(grants);
    const at = Math.floor(clock() / 1000);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const record = { exp: at + MARKED_FOR, at, rev: records.rev() };
      if (await records.add(key, record)) return;
      const [known] = await records.get([key]);
      if (typeof known?.['at'] === 'number' && known['at'] >= at) return;
      const before: unknown = known?.['rev'];
      if (typeof before === 'string' && (await records.swap(key, before, record))) return;
    }
    throw new Error('assertions: the record of an end was changed too often at the same moment. Call it again.');
  }

  /** Whether grants have ended since an assertion was made. @param iat - Seconds since the epoch; without it, it counts as older. */
  async isEnded(iat: number | undefined, subject: Subject): Promise<boolean> {
    const found = await this.#host.records.get(endsOf(subject));
    // One with another shape is of another version, and takes access away.
    return found.some((mark) => mark !== undefined && !(typeof mark['at'] === 'number' && mark['at'] < (iat ?? 0)));
  }
}
