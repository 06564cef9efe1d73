import { fileURLToPath } from 'node:url';
import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, bearer, Client } from '../hosts.js';
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
      const isError = 'errors' in answer.json;
      expect([path, error(answer.json), data(answer.json)]).toEqual([path, isError, !isError]);
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
      expect(answers.map(({ json }) => error(json))).toEqual(answers.map((_, index) => index > 6));
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
