import { StoreError } from './store-error.js';

/** Default milliseconds between two checks of the policy. */
const LOOK_EVERY_MS = 60_000;

/** Watches the `maxmemory-policy` of a Redis. */
interface PolicyWatch {
  /** Checks now. Rejects if a server has a policy other than `noeviction`, cannot be reached, or does not report its policy. */
  check(): Promise<void>;
  /** @throws StoreError with the code `STORE_EVICTS` if the last successful check found another policy. */
  assertSafe(): void;
  stop(): void;
}

interface PolicyWatchOptions {
  readonly watchPolicy?: number | false | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Checks the policy periodically, because it may change while servers run. Does not keep the process running.
 *
 * @param askMasters - Resolves to the response of every master to `INFO memory`.
 */
export function watchPolicy(askMasters: () => Promise<readonly unknown[]>, options: PolicyWatchOptions): PolicyWatch {
  const { watchPolicy: every = LOOK_EVERY_MS, onError = console.error } = options;
  let problem: StoreError | undefined;
  let told: StoreError | undefined;

  const look = async (): Promise<StoreError | undefined> => {
    const answers = await askMasters();
    if (answers.length === 0) throw new Error('redisStore: the client does not know any master yet');
    const found = evictingPolicy(answers);
    if (found === undefined) problem = undefined;
    else if (problem === undefined) problem = evicts(found);
    return problem;
  };
  const lookAgain = async (): Promise<void> => {
    // Every other call also notices an unreachable Redis.
    const found = await look().catch(() => undefined);
    // A later check may finish first.
    if (found === undefined || found === told) return;
    told = found;
    onError(found);
  };
  const timer = every === false ? undefined : setInterval(() => void lookAgain(), every).unref();

  return {
    async check() {
      const found = await look();
      told = found;
      if (found !== undefined) throw found;
    },
    assertSafe() {
      if (problem !== undefined && every !== false) throw problem;
    },
    stop: () => clearInterval(timer),
  };
}

/** @throws Error if a server does not report its policy, as some hosted ones: an unknown policy is not assumed to be safe. */
function evictingPolicy(answers: readonly unknown[]): string | undefined {
  const policies = answers.map((info) => /maxmemory_policy:(\S+)/.exec(String(info))?.[1]);
  const found = policies.find((policy) => policy !== undefined && policy !== 'noeviction');
  if (found === undefined && policies.includes(undefined)) {
    throw new StoreError(
      'STORE_ANSWER',
      'redisStore: INFO memory names no maxmemory-policy, so check proves nothing. Look it up yourself.',
    );
  }
  return found;
}

const evicts = (policy: string): StoreError =>
  new StoreError(
    'STORE_EVICTS',
    `redisStore: maxmemory-policy is ${policy}, so a full Redis would remove live records. Set it to noeviction.`,
  );
