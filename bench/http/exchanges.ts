/** The requests of each work, and the checks of their responses. */
import { BARE, candidates, type HttpWork, ID_TOKEN } from '../candidates.js';
import {
  API,
  basic,
  type BenchClient,
  FORM_TYPE,
  OPENID_SCOPE,
  PATHS,
  REDIRECT_URI,
  SCOPE,
  SERVICE,
  WEB,
} from '../servers/setting.js';
import { codeIn, CodeSource, VERIFIER } from './authorization.js';
import { type Answer, rawRequest } from './load.js';
import { hasIdToken, tokenProblem, type Tokens, tokensOf } from './right-answers.js';

export interface Exchange {
  /** How many requests are one piece of this work; 1 if absent. */
  readonly steps?: number;
  /** Whether each request opens a connection of its own. */
  readonly reconnect?: boolean;
  /** Before the measured time: prepares this many requests on this many connections. */
  readonly prepare?: (requests: number, connections: number) => Promise<void>;
  readonly next: (connection: number) => Buffer;
  readonly problem: (connection: number, answer: Answer) => string | undefined;
  /** After the measured time: further checks. Resolves to what is wrong. */
  readonly confirm?: () => Promise<string | undefined>;
}

/** The server of an exchange. */
export interface Target {
  readonly port: number;
  readonly candidate: string;
  /** The port of the authorization server whose tokens are accepted, for guards in another process. */
  readonly issuerPort?: number;
}

/** Live tokens used in turn by works on existing tokens. */
const LIVE_TOKENS = 100;
const SAMPLE = 3;

const form = (path: string, client: BenchClient, body: string): Buffer =>
  rawRequest('POST', path, { authorization: basic(client), 'content-type': FORM_TYPE }, body);

const ask = (port: number, path: string, client: BenchClient, body: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: basic(client), 'content-type': FORM_TYPE },
    body,
  });

const get = (port: number, token?: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${PATHS.content}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

const CREDENTIALS_FORM = `grant_type=client_credentials&scope=${SCOPE}`;

async function clientTokens(port: number, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const response = await ask(port, PATHS.token, SERVICE, CREDENTIALS_FORM);
    const found = tokensOf(await response.text());
    if (found === undefined) throw new Error(`The token endpoint returned ${response.status} and no token.`);
    tokens.push(found.access_token);
  }
  return tokens;
}

/** Checks that issued tokens work, by introspection or at the guard, whichever the candidate has. */
async function liveProblem({ port, candidate }: Target, tokens: readonly string[]): Promise<string | undefined> {
  const works = candidates.find(({ name }) => name === candidate)?.works ?? [];
  for (const token of tokens) {
    if (works.includes('introspect')) {
      const response = await ask(port, PATHS.introspect, API, `token=${encodeURIComponent(token)}`);
      const body = await response.text();
      if (!/"active":true/.test(body)) return `a token that was issued is not active: ${body.slice(0, 200)}`;
    } else {
      const { status } = await get(port, token);
      if (status !== 200) return `a token that was issued is refused with ${status}`;
    }
  }
  return undefined;
}

async function refusalProblem(what: string, response: Response): Promise<string | undefined> {
  await response.arrayBuffer();
  return response.status >= 400 && response.status < 500 ? undefined : `${what} was answered with ${response.status}`;
}

/** Collects the tokens of a round: all must be different. */
class Issued {
  readonly #tokens = new Set<string>();

  clear(): void {
    this.#tokens.clear();
  }

  problem(tokens: Tokens): string | undefined {
    const before = this.#tokens.size;
    this.#tokens.add(tokens.access_token);
    if (tokens.refresh_token !== undefined) this.#tokens.add(tokens.refresh_token);
    return this.#tokens.size - before === (tokens.refresh_token === undefined ? 1 : 2)
      ? undefined
      : 'a token came twice';
  }

  sample(): string[] {
    return [...this.#tokens].slice(-SAMPLE);
  }
}

function tokenExchange(target: Target): Exchange {
  const request = form(PATHS.token, SERVICE, CREDENTIALS_FORM);
  const issued = new Issued();
  const genuine = target.candidate !== BARE;
  const stranger = { ...SERVICE, client_secret: 'another-secret' };
  /** Once is enough: more failures would block the client. */
  let strangerTried = false;
  return {
    prepare: async () => issued.clear(),
    next: () => request,
    problem: (_connection, answer) =>
      tokenProblem(answer, false) ?? (genuine ? issued.problem(tokensOf(answer.body) ?? NO_TOKENS) : undefined),
    async confirm() {
      if (!genuine) return undefined;
      const live = await liveProblem(target, issued.sample());
      if (live !== undefined || strangerTried) return live;
      strangerTried = true;
      return refusalProblem('a wrong secret', await ask(target.port, PATHS.token, stranger, CREDENTIALS_FORM));
    },
  };
}

const NO_TOKENS: Tokens = { access_token: '', refresh_token: undefined };

const codeForm = (code: string, verifier = VERIFIER): string =>
  `grant_type=authorization_code&code=${encodeURIComponent(code)}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}` +
  `&code_verifier=${verifier}`;

const scopeFor = ({ candidate }: Target): string => (candidate === ID_TOKEN ? OPENID_SCOPE : SCOPE);
const codeSource = (target: Target): CodeSource => new CodeSource(target.port, scopeFor(target));

const refreshForm = (token: string): string => `grant_type=refresh_token&refresh_token=${encodeURIComponent(token)}`;

function codeExchange(target: Target, source = codeSource(target)): Exchange {
  const issued = new Issued();
  const genuine = target.candidate !== BARE;
  let codes: string[] = [];
  let accessTokens: string[] = [];
  return {
    async prepare(requests) {
      issued.clear();
      accessTokens = [];
      codes = genuine
        ? requests === 0
          ? []
          : await source.take(requests)
        : Array.from({ length: requests }, () => 'x'.repeat(43));
    },
    next: () => form(PATHS.token, WEB, codeForm(codes.pop() ?? '')),
    problem(_connection, answer) {
      const wrong = tokenProblem(answer, true, scopeFor(target));
      if (wrong !== undefined || !genuine) return wrong;
      if (target.candidate === ID_TOKEN && !hasIdToken(answer)) return `no ID token: ${answer.body.slice(0, 200)}`;
      const tokens = tokensOf(answer.body) ?? NO_TOKENS;
      if (accessTokens.length < SAMPLE) accessTokens.push(tokens.access_token);
      return issued.problem(tokens);
    },
    async confirm() {
      if (!genuine) return undefined;
      const live = await liveProblem(target, accessTokens);
      if (live !== undefined) return live;
      const [first = '', second = ''] = await source.take(2);
      const other = await ask(target.port, PATHS.token, WEB, codeForm(first, VERIFIER.toLowerCase()));
      const wrong = await refusalProblem('a wrong code_verifier', other);
      if (wrong !== undefined) return wrong;
      await (await ask(target.port, PATHS.token, WEB, codeForm(second))).arrayBuffer();
      return refusalProblem('a code that was used before', await ask(target.port, PATHS.token, WEB, codeForm(second)));
    },
  };
}

/** An authorization request, then the redemption of its code on the same connection. */
function flowExchange(target: Target): Exchange {
  const source = codeSource(target);
  const redemption = codeExchange(target, source);
  /** The code of each connection, to be redeemed next. */
  const codes: (string | undefined)[] = [];
  let request: Buffer = Buffer.alloc(0);
  return {
    ...redemption,
    steps: 2,
    async prepare() {
      await redemption.prepare?.(0, 0);
      request = await source.request();
      codes.length = 0;
    },
    next(connection) {
      const code = codes[connection];
      return code === undefined ? request : form(PATHS.token, WEB, codeForm(code));
    },
    problem(connection, answer) {
      if (codes[connection] !== undefined) {
        codes[connection] = undefined;
        return redemption.problem(connection, answer);
      }
      codes[connection] = codeIn(answer);
      return codes[connection] === undefined ? `no code but ${answer.head.slice(0, 200)}` : undefined;
    },
  };
}

function refreshExchange(target: Target): Exchange {
  const source = codeSource(target);
  const issued = new Issued();
  const genuine = target.candidate !== BARE;
  /** The newest refresh token of each connection's chain. */
  let chains: string[] = [];
  let accessTokens: string[] = [];
  return {
    async prepare(_requests, connections) {
      issued.clear();
      chains = [];
      accessTokens = [];
      for (const code of genuine ? await source.take(connections) : Array.from({ length: connections }, () => '')) {
        const response = await ask(target.port, PATHS.token, WEB, codeForm(code));
        const token = tokensOf(await response.text())?.refresh_token;
        if (token === undefined)
          throw new Error(`The redemption of a code returned ${response.status} and no refresh token.`);
        chains.push(token);
      }
    },
    next: (connection) => form(PATHS.token, WEB, refreshForm(chains[connection] ?? '')),
    problem(connection, answer) {
      const wrong = tokenProblem(answer, true);
      if (wrong !== undefined) return wrong;
      const tokens = tokensOf(answer.body) ?? NO_TOKENS;
      chains[connection] = tokens.refresh_token ?? '';
      if (!genuine) return undefined;
      accessTokens[connection] = tokens.access_token;
      return issued.problem(tokens);
    },
    async confirm() {
      if (!genuine) return undefined;
      const live = await liveProblem(target, accessTokens.slice(0, SAMPLE));
      if (live !== undefined) return live;
      const unknown = await ask(target.port, PATHS.token, WEB, refreshForm('x'.repeat(43)));
      return refusalProblem('an unknown refresh token', unknown);
    },
  };
}

function introspectExchange(target: Target): Exchange {
  let requests: Buffer[] = [];
  let turn = 0;
  return {
    async prepare() {
      if (requests.length > 0) return;
      const tokens = await clientTokens(target.port, LIVE_TOKENS);
      requests = tokens.map((token) => form(PATHS.introspect, API, `token=${encodeURIComponent(token)}`));
    },
    next: () => requests[(turn = (turn + 1) % requests.length)] ?? Buffer.alloc(0),
    problem: (_connection, { status, body }) =>
      status === 200 &&
      body.includes('"active":true') &&
      body.includes(`"${SERVICE.client_id}"`) &&
      body.includes(SCOPE)
        ? undefined
        : `status ${status}: ${body.slice(0, 200)}`,
    async confirm() {
      if (target.candidate === BARE) return undefined;
      const response = await ask(target.port, PATHS.introspect, API, `token=${'x'.repeat(43)}`);
      const body = await response.text();
      return body.includes('"active":false') ? undefined : `an unknown token was answered with ${body.slice(0, 200)}`;
    },
  };
}

/** @param fresh - Whether every request has a new token. */
function guardExchange(target: Target, fresh: boolean): Exchange {
  const { port, candidate, issuerPort = port } = target;
  const genuine = candidate !== BARE || issuerPort !== port;
  let requests: Buffer[] = [];
  let turn = 0;
  return {
    async prepare(count) {
      if (requests.length > 0 && !fresh) return;
      const wanted = fresh ? count : LIVE_TOKENS;
      const tokens = genuine ? await clientTokens(issuerPort, wanted) : ['x'.repeat(43)];
      requests = tokens.map((token) => rawRequest('GET', PATHS.content, { authorization: `Bearer ${token}` }));
      turn = 0;
    },
    next: () => requests[turn++ % requests.length] ?? Buffer.alloc(0),
    problem: (_connection, { status, body }) =>
      status === 200 && body === '{"ok":true}' ? undefined : `status ${status}: ${body.slice(0, 200)}`,
    async confirm() {
      if (candidate === BARE) return undefined;
      const none = await refusalProblem('a request without a token', await get(port));
      return none ?? refusalProblem('a token that is none', await get(port, `${'x'.repeat(43)}.y.z`));
    },
  };
}

const apiRequest = rawRequest(
  'GET',
  `${PATHS.api}?action=query&format=json&formatversion=2&list=allpages&aplimit=10`,
  {},
);

const apiExchange = (): Exchange => ({
  next: () => apiRequest,
  problem: (_connection, { status, body }) =>
    status === 200 && body.includes('"title":"Page 1"') && body.includes('"title":"Page 10"')
      ? undefined
      : `status ${status}: ${body.slice(0, 200)}`,
});

const exchanges: Readonly<Record<HttpWork, (target: Target) => Exchange>> = {
  token: tokenExchange,
  flow: flowExchange,
  code: (target) => codeExchange(target),
  refresh: refreshExchange,
  introspect: introspectExchange,
  guard: (target) => guardExchange(target, false),
  'guard-remote': (target) => guardExchange(target, false),
  'guard-jwt': (target) => guardExchange(target, false),
  'guard-jwt-fresh': (target) => guardExchange(target, true),
  api: apiExchange,
};

export const exchangeFor = (work: HttpWork, target: Target): Exchange => exchanges[work](target);
