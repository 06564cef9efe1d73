import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, bearer, Client, oneHostEach, type RunningHost } from '../hosts.js';
import { DEVICE_CODE, fixture } from '../oauth/support/fixture.js';
import { Flows } from '../oauth/support/tokens.js';
import { type RunningSite, startSite } from '../site/support/running-site.js';
import { fetchDocument, lookUp, type OpenApi, resolve, type ResponseObject } from './openapi-document.js';

/** Judges answers by what the document says of them. */
class Judge {
  readonly #document: OpenApi;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApi) {
    this.#document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'document', undefined, false);
  }

  /** What is wrong with some data, as a schema of the document sees it. */
  problemsOf(pointer: string, data: unknown): readonly string[] {
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `document${pointer}` });
    this.#validators.set(pointer, validate);
    validate(data);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** What is wrong with an answer: an unknown status, a missing header, a body of another shape. */
  problems(path: string, method: 'get' | 'post', { status, headers, text }: Answer): readonly string[] {
    const base = `#/paths/${path.replaceAll('/', '~1')}/${method}/responses`;
    const responses = lookUp(this.#document, base) as Readonly<Record<string, ResponseObject | { $ref: string }>>;
    const name = [String(status), `${String(status)[0]}XX`].find((one) => responses[one] !== undefined);
    const found = responses[name ?? ''];
    if (!found) return [`${path} does not speak of ${status}`];
    const pointer = '$ref' in found ? found.$ref : `${base}/${name}`;
    const response = resolve<ResponseObject>(this.#document, found);
    // The one header of a refusal that depends on how the caller came.
    const promised = Object.keys(response.headers ?? {}).filter(
      (header) => status !== 200 && header !== 'WWW-Authenticate',
    );
    const missing = promised.filter((header) => headers[header.toLowerCase()] === undefined);
    const media = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    const content = response.content?.[media];
    if (response.content && !content) return [`${path} does not speak of ${media} with ${status}`];
    return [
      ...missing.map((header) => `${path} ${status} lacks ${header}`),
      ...(media === 'application/json' && content
        ? this.problemsOf(`${pointer}/content/application~1json/schema`, JSON.parse(text) as unknown)
        : []),
    ];
  }
}

const SAMPLE = fileURLToPath(new URL('../../examples/site/sample.xml', import.meta.url));

describe('responses of the query API match its description, for a site with content', () => {
  let site: RunningSite;
  let client: Client;
  let document: OpenApi;
  let judge: Judge;
  let token: string;
  beforeAll(async () => {
    site = await startSite(SAMPLE);
    client = new Client(site.origin);
    document = await fetchDocument(client);
    judge = new Judge(document);
    token = await site.token('alice');
  });
  afterAll(() => site.close());

  const get = (path: string, query: Readonly<Record<string, string>>): Promise<Answer> =>
    client.get(`${path}?${new URLSearchParams(query)}`, bearer(token));
  const error = (json: unknown): boolean => judge.problemsOf('#/components/schemas/ApiError', json).length === 0;
  const data = (json: unknown): boolean => judge.problemsOf('#/components/schemas/QueryAnswer', json).length === 0;

  /** What makes most modules give something. */
  const SUBJECTS = { titles: 'Main Page|Anchor|Nowhere|<', redirects: '1', limit: 'max' };
  const modules = () => Object.keys(document.paths).filter((path) => path.includes('+'));

  test.each(['1', '2'])('each module at its own path, formatversion %s', async (formatversion) => {
    let withData = 0;
    for (const path of modules()) {
      const needed: Record<string, string> = {};
      for (const parameter of document.paths[path]?.get?.parameters ?? []) {
        if ('name' in parameter && parameter.required)
          needed[parameter.name] = parameter.schema.$ref ? 'Ancientpages' : 'Apple';
      }
      const answer = await get(path, { ...SUBJECTS, ...needed, formatversion, errorformat: 'plaintext' });
      expect(judge.problems(path, 'get', answer)).toEqual([]);
      expect([path, error(answer.json), data(answer.json)]).toEqual([
        path,
        'errors' in answer.json,
        !('errors' in answer.json),
      ]);
      if ('query' in answer.json) withData += 1;
    }
    expect(withData).toBeGreaterThan(40);
    expect(site.failures).toEqual([]);
  });

  const ODD = { action: 'query', prop: 'info|nonsense', titles: 'Anchor', list: 'allpages', aplimit: '1', nosuch: '1' };

  test.each(['1', '2'])('data, warnings and errors in every errorformat, formatversion %s', async (formatversion) => {
    for (const errorformat of ['bc', 'plaintext', 'wikitext', 'html', 'raw', 'none']) {
      const style = { formatversion, errorformat };
      const answers = [
        await get('/api', { ...style, ...ODD, requestid: 'r', curtimestamp: '1', responselanginfo: '1' }),
        await get('/api', { ...style, ...ODD, rawcontinue: '1' }),
        await get('/api', { ...style, ...ODD, indexpageids: '1', generator: 'allpages', gaplimit: 'max', titles: '' }),
        await get('/api', { ...style, action: 'paraminfo', modules: 'query+allpages|nope' }),
        await get('/api', { ...style, action: 'help', wrap: '1' }),
        await get('/api', { ...style, action: 'opensearch', search: 'a' }),
        await get('/api', { ...style, action: 'parse', page: 'Main Page', prop: 'links|categories|wikitext|revid' }),
        await get('/api', { ...style, action: 'query', aplimit: 'x', list: 'allpages' }),
        await get('/api', { ...style, action: 'nonsense', assert: 'user' }),
      ];
      expect(answers.flatMap((answer) => judge.problems('/api', 'get', answer))).toEqual([]);
      expect(answers.map(({ json }) => error(json))).toEqual([
        false,
        false,
        false,
        false,
        false,
        false,
        false,
        true,
        true,
      ]);
      expect(answers.slice(0, 2).every(({ json }) => 'warnings' in json)).toBe(true);
    }
  });

  test('pages, scripts and errors with their own status', async () => {
    const answers = [
      await get('/api', { action: 'help' }),
      await get('/api', { action: 'query', format: 'jsonfm', meta: 'siteinfo' }),
      await get('/api', { action: 'query', callback: 'f', meta: 'siteinfo' }),
      await get('/api', { action: 'query', origin: 'https://other.example' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 403]);
    expect(answers.flatMap((answer) => judge.problems('/api', 'get', answer))).toEqual([]);
    const large = await client.post('/api', { action: 'query', titles: 'x'.repeat(1_100_000) });
    expect([large.status, judge.problems('/api', 'post', large)]).toEqual([413, []]);
  });

  test('a wrong structure is detected', async () => {
    const path = '/api/query+allpages';
    const answer = await get(path, { formatversion: '2', aplimit: '1' });
    const broken = (json: object): Answer => ({ ...answer, text: JSON.stringify(json) });
    expect(judge.problems(path, 'get', answer)).toEqual([]);
    expect(judge.problems(path, 'get', broken({ ...answer.json, continue: 'x' }))).not.toEqual([]);
    expect(judge.problems(path, 'get', broken({ ...answer.json, query: { allpages: {} } }))).not.toEqual([]);
    expect(judge.problems(path, 'get', { ...answer, status: 418 })).not.toEqual([]);
  });
});

describe('responses of the authorization server match its description', () => {
  const LEGACY = {
    client_id: 'legacy',
    client_secret: 'legacy-secret',
    grant_types: ['password'],
    scope: 'profile',
  } as const;
  let running: RunningHost;
  let flows: Flows;
  let judge: Judge;
  let isStoreAway = false;
  beforeAll(async () => {
    const { options, store } = fixture({
      clients: [LEGACY],
      grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
      accessTokens: { format: 'jwt' },
      device: { verificationUriComplete: true },
      registration: {},
      query: {},
    });
    const guarded = {
      add: (...args: Parameters<typeof store.add>) => {
        if (isStoreAway) throw new Error('The store is away.');
        return store.add(...args);
      },
      get: (key: string) => {
        if (isStoreAway) throw new Error('The store is away.');
        return store.get(key);
      },
      delete: (key: string) => store.delete(key),
    };
    running = await oneHostEach[0]!.start({ options: { ...options, store: guarded } });
    flows = new Flows(running, [LEGACY]);
    judge = new Judge(await fetchDocument(flows.client));
  });
  afterAll(() => running.close());

  const expectDescribed = async (
    path: string,
    status: number,
    answer: Answer | Promise<Answer>,
    method: 'get' | 'post' = 'post',
  ): Promise<Answer> => {
    const given = await answer;
    expect([path, given.status, judge.problems(path, method, given)]).toEqual([path, status, []]);
    return given;
  };

  /** The form is one that the document allows, and the answer as well. */
  const token = async (client_id: string, form: Readonly<Record<string, string>>, status = 200): Promise<Answer> => {
    const schema = '#/paths/~1oauth~1token/post/requestBody/content/application~1x-www-form-urlencoded/schema';
    expect(judge.problemsOf(schema, form)).toEqual([]);
    return expectDescribed('/oauth/token', status, flows.token(client_id, form));
  };

  test('every grant', async () => {
    const { json } = await token('web', flows.redemption('web', await flows.code('web')));
    await token('web', { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) });
    await token('service', { grant_type: 'client_credentials' });
    await token('legacy', { grant_type: 'password', username: 'alice', password: 'wonderland' });
    const device = await expectDescribed('/oauth/device', 200, flows.post('/oauth/device', 'tv', {}));
    const codes = device.json as unknown as Parameters<Flows['decide']>[0]; // Judged by its schema.
    const poll = { grant_type: DEVICE_CODE, device_code: String(device.json['device_code']) };
    await token('tv', poll, 400);
    await token('tv', poll, 400);
    await expectDescribed('/oauth/device/verify', 200, flows.decide(codes, 'approve'));
    await token('tv', poll);
  });

  test('a response of no grant is detected', () => {
    const schema = '#/paths/~1oauth~1token/post/requestBody/content/application~1x-www-form-urlencoded/schema';
    expect(judge.problemsOf(schema, { grant_type: 'authorization_code' })).not.toEqual([]);
    expect(judge.problemsOf(schema, { grant_type: 'nonsense' })).not.toEqual([]);
  });

  test('introspection of live and other tokens, and of one that the caller may not see', async () => {
    const { access_token, refresh_token } = await flows.tokens('web');
    const service = await flows.ownTokens('service');
    const path = '/oauth/introspect';
    for (const [live, client_id] of [
      [access_token, 'api'],
      [refresh_token, 'web'],
      [service.access_token, 'service'],
    ] as const) {
      const answer = await expectDescribed(path, 200, flows.introspect(live, client_id));
      expect(answer.json['active']).toBe(true);
    }
    const hidden = await expectDescribed(path, 200, flows.introspect(access_token, 'service'));
    expect(hidden.json).toEqual({ active: false });
    await expectDescribed(path, 401, flows.client.post(path, { token: access_token }));
    await expectDescribed(path, 401, flows.client.post(path, { token: access_token }, bearer('nonsense')));
  });

  test('revocation, metadata and keys', async () => {
    const { access_token } = await flows.ownTokens('service');
    await expectDescribed('/oauth/revoke', 200, flows.revoke('service', access_token));
    await expectDescribed('/oauth/revoke', 400, flows.post('/oauth/revoke', 'service', {}));
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/jwks']) {
      await expectDescribed(path, 200, flows.client.get(path), 'get');
    }
  });

  test('registration', async () => {
    const path = '/oauth/register';
    const register = (metadata: object): Promise<Answer> =>
      new Client(running.base).request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      });
    const metadata = { client_name: 'App', redirect_uris: ['https://a.example/cb'], scope: 'profile', extra: 1 };
    const schema = '#/paths/~1oauth~1register/post/requestBody/content/application~1json/schema';
    expect(judge.problemsOf(schema, metadata)).toEqual([]);
    expect(judge.problemsOf(schema, {})).not.toEqual([]);
    await expectDescribed(path, 201, register(metadata));
    await expectDescribed(path, 400, register({}));
    for (let n = 0; n < 58; n += 1) await register(metadata);
    await expectDescribed(path, 429, register(metadata));
  });

  test('pages and redirects', async () => {
    const query = { response_type: 'code', client_id: 'web', redirect_uri: flows.redirectUri('web') };
    const authorize = (parameters: Readonly<Record<string, string>>) =>
      new Client(running.base).get(`/oauth/authorize?${new URLSearchParams(parameters)}`);
    await expectDescribed('/oauth/authorize', 200, authorize(query), 'get');
    await expectDescribed('/oauth/authorize', 302, authorize({ ...query, response_type: 'nonsense' }), 'get');
    await expectDescribed('/oauth/authorize', 400, authorize({}), 'get');
    await expectDescribed('/oauth/device', 200, new Client(running.base).get('/oauth/device'), 'get');
  });

  test('errors with their headers: 400, 401, 413, 429, 503', async () => {
    const path = '/oauth/token';
    const post = (form: Readonly<Record<string, string>>, headers?: Record<string, string>) =>
      flows.client.post(path, form, headers);
    await expectDescribed(path, 400, post({ grant_type: 'nonsense' }));
    const wrong = { authorization: `Basic ${Buffer.from('web:wrong').toString('base64')}` };
    const refused = await expectDescribed(path, 401, post({ grant_type: 'refresh_token', refresh_token: 'x' }, wrong));
    expect(refused.headers['www-authenticate']).toMatch(/^Basic /);
    await expectDescribed(path, 413, post({ grant_type: 'x'.repeat(100_000) }));
    const { access_token } = await flows.ownTokens('service');
    let last = refused;
    for (let attempt = 0; attempt < 12 && last.status !== 429; attempt += 1) {
      last = await post({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'api', client_secret: 'wrong' });
    }
    await expectDescribed(path, 429, last);
    isStoreAway = true;
    await expectDescribed('/oauth/device', 503, flows.post('/oauth/device', 'tv', {}));
    await expectDescribed('/api', 503, flows.client.get('/api?action=query&format=json', bearer(access_token)), 'get');
    isStoreAway = false;
  });
});
