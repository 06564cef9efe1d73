/** Gets authorization codes from a candidate's own authorization endpoint, as a browser and its owner would. */
import { PATHS, REDIRECT_URI, WEB } from '../servers/setting.js';
import { type Answer, problemsInWords, rawRequest, sendLoad } from './load.js';

/** RFC 7636, appendix B. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

const addressFor = (scope: string): string => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: WEB.client_id,
    redirect_uri: REDIRECT_URI,
    scope,
    state: 'state-of-the-benchmark',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  return `${PATHS.authorize}?${query.toString()}`;
};
const STEPS = 10;

/** The cookies of a browser. */
type Cookies = Map<string, string>;

const cookieHeader = (cookies: Cookies): Record<string, string> =>
  cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };

/** Sends the authorization request, signs in and allows access if a page requires it, until the client gets its code. */
async function signIn(port: number, start: string): Promise<Cookies> {
  const origin = `http://127.0.0.1:${port}`;
  const cookies: Cookies = new Map();
  let address = start;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < STEPS; step += 1) {
    const response: Response = await fetch(new URL(address, origin), {
      method: form === undefined ? 'GET' : 'POST',
      headers: { ...cookieHeader(cookies), origin },
      body: form ?? null,
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1);
      const equals = pair.indexOf('=');
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    const location = response.headers.get('location');
    const page = await response.text();
    if (location?.startsWith(REDIRECT_URI) === true) return cookies;
    if (location !== null) {
      address = location;
      form = undefined;
    } else ({ address, form } = consentOf(page, response.status));
  }
  throw new Error(`The authorization endpoint does not redirect to the client within ${STEPS} steps.`);
}

/** The consent form of a page, filled in. */
export function consentOf(page: string, status: number): { address: string; form: URLSearchParams } {
  const address = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  if (address === undefined) throw new Error(`The authorization endpoint answered ${status}: ${page.slice(0, 300)}`);
  const form = new URLSearchParams({ decision: 'approve' });
  for (const [input] of page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    form.set(/ name="([^"]*)"/.exec(input)?.[1] ?? '', / value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return { address, form };
}

/** The code in a redirect to the client. */
export function codeIn({ head }: Answer): string | undefined {
  const location = /\r\nlocation: (\S+)/i.exec(head)?.[1] ?? '';
  return location.startsWith(REDIRECT_URI) ? /[?&]code=([^&]+)/.exec(location)?.[1] : undefined;
}

/** A source of fresh authorization codes. The owner allows access once, the first time. */
export class CodeSource {
  readonly #port: number;
  readonly #address: string;
  #request: Buffer | undefined;

  /** @param scope - The scope of the request. */
  constructor(port: number, scope: string) {
    this.#port = port;
    this.#address = addressFor(scope);
  }

  /** The authorization request of an owner who is signed in and has allowed access. */
  async request(): Promise<Buffer> {
    const cookies = this.#request === undefined ? await signIn(this.#port, this.#address) : new Map();
    return (this.#request ??= rawRequest('GET', this.#address, cookieHeader(cookies)));
  }

  async take(count: number): Promise<string[]> {
    const request = await this.request();
    const codes: string[] = [];
    const problem = (_connection: number, answer: Answer): string | undefined => {
      const code = codeIn(answer);
      if (code === undefined) return `no code but status ${answer.status}: ${answer.head.slice(0, 300)}`;
      codes.push(code);
      return undefined;
    };
    const { problems } = await sendLoad({
      port: this.#port,
      requests: count,
      connections: Math.min(4, count),
      next: () => request,
      problem,
    });
    if (problems.size > 0)
      throw new Error(`The authorization endpoint sent a wrong response: ${problemsInWords(problems)}`);
    return codes;
  }
}
