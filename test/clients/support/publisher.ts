import { clientDocuments, type ClientDocumentsOptions, type FetchDocument } from 'oauth-query/clients';
import { type Answer, bearer, Client, type RunningHost } from '../../hosts.js';
import { type AuthorizationParameters, Browser, PKCE, responseOf } from '../../oauth/support/browser.js';
import { type Node, Nodes, type NodeSetup } from '../../oauth/support/nodes.js';

export const APP = 'https://app.example.org/oauth/client.json';
export const CALLBACK = 'https://app.example.org/cb';

export const DOCUMENT = {
  client_id: APP,
  client_name: 'The App',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const;

type Published = object | string | (() => unknown);

/** Publishes documents, for a fetch that goes through no network. */
export class Publisher {
  /** What is at each address: a document, or a function that gives one or fails. */
  readonly published = new Map<string, Published>();
  /** Every address that was asked, in order. */
  readonly asked: string[] = [];
  maxAge: number | undefined;

  constructor(document: Published = DOCUMENT) {
    this.published.set(APP, document);
  }

  readonly fetch: FetchDocument = async (address, { cacheFor }) => {
    this.asked.push(address);
    if (this.maxAge !== undefined) cacheFor(this.maxAge);
    const found = this.published.get(address);
    return typeof found === 'function' ? (found() as unknown) : structuredClone(found);
  };

  fails(address = APP): void {
    this.published.set(address, () => {
      throw new Error('connect ECONNREFUSED');
    });
  }

  /** A registry of its documents. */
  registry(options: Partial<ClientDocumentsOptions> = {}) {
    return clientDocuments({ trust: 'any', fetch: this.fetch, ...options });
  }
}

/** Processes with one store that know clients by their documents. */
export class DocumentServers extends Nodes {
  readonly publisher: Publisher;

  constructor(
    publisher = new Publisher(),
    options: Partial<ClientDocumentsOptions> = {},
    more: ConstructorParameters<typeof Nodes>[0] = {},
  ) {
    super({ clients: [publisher.registry(options)], ...more });
    this.publisher = publisher;
  }

  async open(setup: NodeSetup = {}): Promise<Visitor> {
    return new Visitor(await this.start(setup));
  }
}

type Fields = Readonly<Record<string, string>>;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A browser, and a public client that publishes a document, at one process. */
export class Visitor {
  readonly node: Node;
  readonly host: RunningHost;
  readonly http: Client;
  browser: Browser;

  constructor(node: Node) {
    this.node = node;
    this.host = node.host;
    this.http = new Client(node.host.base);
    this.browser = new Browser(node.host);
  }

  /** The page that the authorization request leads to. */
  page(parameters: AuthorizationParameters = {}): Promise<Answer> {
    return this.browser.authorize(requestOf(parameters));
  }

  /** The whole way to the client. */
  authorize(parameters: AuthorizationParameters = {}): Promise<Answer> {
    return this.browser.authorizeFor(requestOf(parameters));
  }

  async code(parameters: AuthorizationParameters = {}): Promise<string> {
    const { code } = responseOf(await this.authorize(parameters));
    if (code === undefined) throw new Error('There is no code.');
    return code;
  }

  redeem(code: string, more: Fields = {}): Promise<Answer> {
    return this.http.post('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: APP,
      redirect_uri: CALLBACK,
      code_verifier: PKCE.verifier,
      code,
      ...more,
    });
  }

  refresh(refresh_token: string): Promise<Answer> {
    return this.http.post('/oauth/token', { grant_type: 'refresh_token', client_id: APP, refresh_token });
  }

  async tokens(parameters: AuthorizationParameters = {}): Promise<Tokens> {
    const answer = await this.redeem(await this.code(parameters), {
      ...(typeof parameters['redirect_uri'] === 'string' && { redirect_uri: parameters['redirect_uri'] }),
    });
    if (answer.status !== 200) throw new Error(`Status ${answer.status}: ${answer.text}`);
    return answer.json as unknown as Tokens; // The tests judge what is in it.
  }

  guarded(token: string): Promise<Answer> {
    return new Client(this.host.origin).get('/guarded/profile', bearer(token));
  }
}

const requestOf = (parameters: AuthorizationParameters): AuthorizationParameters => ({
  response_type: 'code',
  client_id: APP,
  redirect_uri: CALLBACK,
  scope: 'profile',
  state: 'xyz',
  ...PKCE.request,
  ...parameters,
});
