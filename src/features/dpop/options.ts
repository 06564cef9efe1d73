import { fail, isPath, option, SECRETS, urlProblem } from '../../core/feature/index.js';

/** A URL under which clients know this process, where a proxy changes the path. */
interface ProxiedAddress {
  /** The URL as clients know it, such as `https://api.example/service`. */
  readonly from: string;
  /** The path of this process that it leads to, such as `/`. */
  readonly to: string;
}

/** Options of {@link dpop}. */
export interface DpopOptions {
  /** Every token must be bound to a key: a token request without a proof is rejected, and so is an unbound token; default `false`. */
  readonly required?: boolean;
  /**
   * Nonces make a proof useless after 90 seconds, whatever the clock of the client says. `offered` (the default): responses contain one, and a
   * proof need not; `required`: a proof must have one, which costs clients a request at the start; `off`.
   */
  readonly nonce?: 'offered' | 'required' | 'off' | undefined;
  /** The age of a proof without a nonce, in seconds: default 60, 1 to 300. */
  readonly maxAge?: number | undefined;
  /** The seconds by which the clock of a client may be ahead: default 5, 0 to 300. */
  readonly maxAhead?: number | undefined;
  /**
   * Where a resource remembers used proofs until they end. `process` (the default): in the memory of each process, at most 256 for a token, and a request
   * beyond is answered with 429; `store`: in the store, exact over all processes, for one command with each request; `none`.
   */
  readonly replay?: 'process' | 'store' | 'none' | undefined;
  /** URLs by which clients know this process, besides the issuer and the resource of a guard: texts, or with the path that a proxy leads to. */
  readonly origins?: readonly (string | ProxiedAddress)[] | undefined;
  /** For a verifier in another process: a secret for nonces, at least 32 characters. The server uses its own. */
  readonly secret?: string | readonly string[] | undefined;
}

const base = option.refined(
  option.value<string>('a URL such as https://api.example', (given) => typeof given === 'string'),
  (given, path) => {
    const problem = urlProblem(given);
    if (problem !== undefined) return fail(`${path} ${problem}.`);
    return /[?#]/.test(given) ? fail(`${path} must have neither a query nor a fragment.`) : given;
  },
);

const proxied = {
  from: option.required(base),
  to: option.required(option.value<string>('a path such as /', (given) => given === '/' || isPath(given))),
} satisfies option.Schema<ProxiedAddress>;

export const DPOP_OPTIONS = option.object({
  required: option.neverUndefined(option.flag(false)),
  nonce: option.orElse(option.oneOf('offered', 'required', 'off'), 'offered'),
  maxAge: option.wholeNumber(60, 1, 300, 'seconds'),
  maxAhead: option.wholeNumber(5, 0, 300, 'seconds'),
  replay: option.orElse(option.oneOf('process', 'store', 'none'), 'process'),
  origins: option.orElse(option.listOf('an array of URLs', option.either(base, option.object(proxied))), [], 'none'),
  secret: SECRETS,
} satisfies option.Schema<DpopOptions>);
