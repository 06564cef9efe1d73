import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Module, Parameter } from '../../sandbox/catalogue.js';
import {
  catalogue,
  customModule,
  defineModule,
  type ModuleDescriptor,
  type ModuleHandlers,
  query,
  type QueryOptions,
} from '../../src/core/query/index.js';
import { openApi } from '../../src/openapi/index.js';
import { Client, hostFor, type HostOptions, oneHostEach } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';
import type { Json } from './fixture.js';
import { type Joined, startJoined } from './joined.js';
import {
  fetchDocument,
  type OpenApi,
  type OperationObject,
  type ParameterObject,
  parametersOf,
  resolve,
  type ResponseObject,
  type SchemaObject,
  serialise,
} from './openapi-document.js';

const [bare, parsed, prefixed] = oneHostEach;
if (!bare || !parsed || !prefixed) throw new Error('Three hosts are needed.');

/** A module of the host's own, with everything that the catalogue has no example of. */
const ripeness = defineModule({
  name: 'ripeness',
  group: 'list',
  prefix: 'ri',
  generator: true,
  description: 'Lists what is ripe.',
  parameters: {
    kinds: { type: 'string', multi: true, lowlimit: 5, highlimit: 7, description: 'The kinds of fruit.' },
    'colour-{kind}': { type: ['green', 'red'], multi: true, templatevars: { kind: 'kinds' } },
    month: { type: 'integer', min: 1, max: 12, highmax: 24 },
    orchard: { type: 'title', multi: true },
    key: { type: 'string', sensitive: true },
    places: { type: 'namespace', multi: true, extranamespaces: [-1], default: '0|1' },
  },
});

const modules: readonly ModuleDescriptor[] = Object.values(catalogue);
const answers = { list: () => [], prop: () => ({ pages: {} }), meta: () => ({ data: {} }) };
// The names are those of the catalogue, and each group has its kind of answer.
const handlers = Object.fromEntries(modules.map(({ name, group }) => [name, answers[group]])) as ModuleHandlers;
const QUERY = {
  modules: handlers,
  customModules: [customModule(ripeness, () => [])],
  resolvePages: () => [{ pageid: 1, ns: 0, title: 'Apple' }],
};

const described = (options: QueryOptions = {}) => [query(options), openApi()];

describe('the complete document', () => {
  const documentOf = async (options: HostOptions): Promise<OpenApi> => {
    const running = await bare.start({ options: { ...fixture().options, ...options } });
    try {
      return await fetchDocument(new Client(running.base));
    } finally {
      await running.close();
    }
  };

  const RULES = {
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'operation-tag-defined': 'error',
    'spec-strict-refs': 'error',
    // The licence of an API is for its host to say, metadata has no wrong requests, and a part may stand unused.
    'info-license': 'off',
    'no-unused-components': 'off',
    'operation-4xx-response': 'off',
  } as const;

  /** One for all documents: it compiles the schema once. */
  const validator = new Validator();

  /** What a linter says that knows the specification beyond its schema: names that meet, references, paths, examples. */
  const complaintsAbout = async (document: OpenApi): Promise<readonly string[]> => {
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config: await createConfig({ extends: ['recommended-strict'], rules: RULES }),
    });
    return problems.map(
      ({ ruleId, message, location }) => `${ruleId} at ${location.map(({ pointer }) => pointer).join()}: ${message}`,
    );
  };

  /** Pointers to the lists whose members are not described. JSON Schema allows them; programs that make types do not. */
  const arraysOfAnything = (value: unknown, pointer = '#'): readonly string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const isOpen = 'type' in value && [value.type].flat().includes('array') && !('items' in value);
    return [
      ...(isOpen ? [pointer] : []),
      ...Object.entries(value).flatMap(([key, one]) => arraysOfAnything(one, `${pointer}/${key}`)),
    ];
  };

  const everything: HostOptions = {
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password', 'implicit'],
    jwt: true,
    features: described(QUERY),
  };

  test('is valid OpenAPI 3.1, as usual and with everything', async () => {
    for (const options of [{ features: described() }, everything]) {
      const document = await documentOf(options);
      expect(await validator.validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
      expect(arraysOfAnything(document)).toEqual([]);
      // It takes seconds, and everything has what is usual.
      if (options === everything) expect(await complaintsAbout(document)).toEqual([]);
    }
  });
});

describe.each(hostFor(import.meta.url))('on $name', (host) => {
  test('any site may read it, 304 if it has not changed, and only GET and HEAD are allowed', async () => {
    const { options, errors } = fixture({ features: described({ ...QUERY, private: true }) });
    const running = await host.start({ options });
    const client = new Client(running.base);
    try {
      const path = '/api/openapi.json';
      const first = await client.get(path, { origin: 'https://anywhere.example' });
      expect([first.status, first.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(first.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        etag: expect.stringMatching(/^"[\w-]{22}"$/),
      });
      expect(first.json).toMatchObject({ openapi: '3.1.1', servers: [{ url: running.base }] });
      const { etag = '' } = first.headers;
      const again = (condition: string) => client.get(path, { 'if-none-match': condition });
      for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const known = await again(condition);
        expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag]);
        expect(known.headers['access-control-allow-origin']).toBe('*');
      }
      const other = await again('"other"');
      expect([other.status, other.text]).toEqual([200, first.text]);
      const head = await client.request(path, { method: 'HEAD' });
      expect([head.status, head.text, head.headers.etag]).toEqual([200, '', etag]);
      const preflight = await client.request(path, { method: 'OPTIONS' });
      expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'GET, HEAD']);
      const posted = await client.post(path, { a: 'b' });
      expect([posted.status, posted.headers.allow, posted.json]).toEqual([
        405,
        'GET, HEAD',
        { error: 'invalid_request', error_description: 'This endpoint only supports GET, HEAD.' },
      ]);
      expect([...errors, ...running.errors]).toEqual([]);
    } finally {
      await running.close();
    }
  });
});

test('it is below the first path of the API, and lists each module at its own path', async () => {
  const options = fixture({ features: described({ path: ['/w/api.php', '/api'] }) }).options;
  const running = await bare.start({ options });
  const client = new Client(running.base);
  const { paths } = await fetchDocument(client, '/w/api.php/openapi.json');
  expect(Object.keys(paths).toSorted()).toEqual([
    '/w/api.php',
    ...Object.keys(catalogue)
      .toSorted()
      .map((name) => `/w/api.php/query+${name}`),
  ]);
  expect((await client.get('/api/openapi.json')).status).toBe(404);
});

type Described = Parameter & { readonly highlimit?: number };

/** What a parameter is, in words that both descriptions can be put into. */
const factsOfParaminfo = (p: Described) => {
  const listed = typeof p.type === 'string' ? undefined : p.type;
  const all = p.multi && p.allspecifier !== undefined && listed?.includes(p.allspecifier) === false;
  return {
    required: p.required === true,
    deprecated: p.deprecated === true,
    type: typeof p.type === 'string' ? p.type : 'listed',
    values: listed && [...listed, ...(all ? [p.allspecifier] : [])],
    deprecatedValues: p.deprecatedvalues,
    min: p.min,
    max: p.max === undefined ? undefined : (p.highmax ?? p.max),
    default: p.default === undefined ? undefined : String(p.default),
    most: p.highlimit,
    secret: p.sensitive === true,
  };
};

/** Types that are known by the name of their schema. */
const NAMES = /\/(Switch|Timestamp|User|Title|Namespace)(-\d+)?$/;

const factsOfSchema = (
  schema: SchemaObject,
  { required = false, deprecated = false }: { readonly required?: boolean; readonly deprecated?: boolean | undefined },
  document: OpenApi,
) => {
  const whole = resolve<SchemaObject>(document, schema);
  const itemSchema = whole.type === 'array' ? (whole.items ?? {}) : schema;
  // A list that can also be everything names its own items first.
  const item = itemSchema.$ref === undefined && itemSchema.anyOf?.[0]?.$ref ? itemSchema.anyOf[0] : itemSchema;
  const one = resolve<SchemaObject>(document, item);
  const [named] = NAMES.exec(item.$ref ?? '')?.slice(1) ?? [];
  const limit = one.anyOf?.[1]?.enum?.[0] === 'max' ? one.anyOf[0] : undefined;
  const type = named?.toLowerCase().replace('switch', 'boolean') ?? (limit ? 'limit' : one.enum ? 'listed' : one.type);
  const { default: preset } = schema;
  return {
    required,
    deprecated,
    type: String(type),
    values: type === 'listed' ? one.enum : undefined,
    deprecatedValues: one['x-deprecated-values'],
    min: (limit ?? one).minimum,
    max: (limit ?? one).maximum,
    default: preset === undefined ? undefined : Array.isArray(preset) ? preset.join('|') : String(preset),
    most: whole.maxItems,
    secret: one.format === 'password',
  };
};

describe('the document agrees with paraminfo, which is generated separately from the same catalogue', () => {
  let joined: Joined;
  let document: OpenApi;
  let described: readonly Module[];
  beforeAll(async () => {
    joined = await startJoined(parsed, QUERY, [openApi()]);
    document = await fetchDocument(new Client(joined.api), '/openapi.json');
    const query = { action: 'paraminfo', modules: 'query+*', helpformat: 'wikitext', formatversion: '2' };
    described = (await joined.get(query))['paraminfo']?.['modules'] as unknown as readonly Module[];
  });
  afterAll(() => joined.close());

  const operationOf = ({ path }: Module, method: 'get' | 'post'): OperationObject =>
    document.paths[`/api/${path}`]![method]!;
  const formOf = (module: Module): SchemaObject => {
    const [content] = Object.values(operationOf(module, 'post').requestBody!.content);
    return resolve<SchemaObject>(document, content!.schema!.allOf![0]!);
  };

  /** The names that a parameter has on the wire. */
  const namesOf = ({ prefix, parameters }: Module, { name, templatevars = {} }: Described): readonly string[] => {
    const [[variable, source] = []] = Object.entries(templatevars);
    const type = parameters.find((one) => one.name === source)?.type;
    if (variable === undefined || !Array.isArray(type)) return [prefix + name];
    return type.map((value: string) => prefix + name.replace(`{${variable}}`, value));
  };

  const all = ({ parameters, templatedparameters }: Module): readonly Described[] => [
    ...parameters,
    ...templatedparameters,
  ];

  test('exactly the modules have a path', () => {
    expect(described).toHaveLength(73);
    expect(Object.keys(document.paths).filter((path) => path.includes('+'))).toEqual(
      described.map(({ path }) => `/api/${path}`),
    );
    for (const module of described) {
      const { summary, deprecated } = operationOf(module, 'get');
      expect([module.path, summary, deprecated]).toEqual([module.path, module.description, module.deprecated]);
    }
  });

  test('every parameter in a URL and in a form: name, encoding, type, values, bounds, default, counts', () => {
    let compared = 0;
    for (const module of described) {
      const own = new Map(
        (operationOf(module, 'get').parameters ?? []).flatMap((p) => ('name' in p ? [[p.name, p] as const] : [])),
      );
      const form = formOf(module);
      const [content] = Object.values(operationOf(module, 'post').requestBody!.content);
      const expected = all(module).flatMap((p) => namesOf(module, p).map((name) => [name, p] as const));
      expect([...own.keys()].toSorted()).toEqual(expected.map(([name]) => name).toSorted());
      for (const [name, p] of expected) {
        const parameter = own.get(name)!;
        const templated = parameter.schema.patternProperties;
        const schema = templated ? Object.values(templated)[0]! : parameter.schema;
        const wanted = [module.path, name, factsOfParaminfo(p)];
        expect([module.path, name, factsOfSchema(schema, parameter, document)]).toEqual(wanted);
        const field = form.properties?.[name] ?? Object.values(form.patternProperties ?? {})[0]!;
        const { deprecated } = field;
        const required = form.required?.includes(name) ?? false;
        expect([module.path, name, factsOfSchema(field, { required, deprecated }, document)]).toEqual(wanted);
        const bars = p.multi ? { style: 'pipeDelimited', explode: false } : undefined;
        expect([name, content?.encoding?.[name]]).toEqual([name, bars]);
        expect(parameter.description ?? '').toContain(p.description ?? '');
        if (!templated) {
          expect([name, parameter.style, parameter.explode]).toEqual(
            p.multi ? [name, 'pipeDelimited', false] : [name, undefined, undefined],
          );
        }
        compared += 1;
      }
    }
    const inCatalogue = [...modules, ripeness].flatMap(({ parameters }) => Object.keys(parameters));
    expect(compared).toBe(inCatalogue.length);
  });

  test('the maximum numbers of values and results: both limits are described', () => {
    const whole = (name: string, path: string): SchemaObject => {
      const operation = document.paths[path]!.get!;
      const { schema } = parametersOf(document, operation).find((one) => one.name === name)!;
      return resolve<SchemaObject>(document, schema);
    };
    expect(whole('aplimit', '/api/query+allpages').description).toBe(
      'Number of results, or max. From 1 to 500 (5,000 with high limits).',
    );
    expect(whole('titles', '/api')).toMatchObject({
      maxItems: 500,
      description: 'At most 50 values (500 with high limits).',
    });
    expect(whole('rikinds', '/api/query+ripeness')).toMatchObject({
      maxItems: 7,
      description: 'At most 5 values (7 with high limits).',
    });
  });
});

/** A value that the schema allows, chosen by nothing but the schema. */
const sampleOf = (schema: SchemaObject, document: OpenApi): unknown => {
  const { type, anyOf, items, minimum = 1, maxItems = 1, ...rest } = resolve<SchemaObject>(document, schema);
  const deprecated: readonly unknown[] = rest['x-deprecated-values'] ?? [];
  if (rest.enum) return rest.enum.find((value) => !deprecated.includes(value));
  if (type === 'array') {
    const one = resolve<SchemaObject>(document, items ?? {});
    const many = one.enum?.filter(
      (value) => !(one['x-deprecated-values'] ?? []).includes(String(value)) && value !== '*',
    );
    return (many ?? [sampleOf(one, document), sampleOf(one, document)]).slice(0, maxItems);
  }
  if (anyOf?.[0]?.format === 'date-time') return '2024-01-02T03:04:05Z';
  if (anyOf?.[0]) return sampleOf(anyOf[0], document);
  return type === 'integer' ? Math.max(minimum, 1) : 'Apple';
};

/**
 * What modules refuse or doubt although each value is one that the description allows: rules between parameters, and
 * texts whose form only the module knows. Nothing that reading a parameter could complain of is among them.
 */
const RULES = [
  ...['bad_image_title', 'badparams', 'deprecation', 'deprecation-help', 'diffto', 'invalidcategory', 'invalidiprange'],
  ...['invalidparammix', 'invalidsha1base36hash', 'invalidsha1hash', 'missingparam', 'nolang', 'notfile', 'param_ip'],
  ...['show', 'uploadstash-bad-path-bad-format'],
];

describe('a client that only has the document', () => {
  let joined: Joined;
  let document: OpenApi;
  beforeAll(async () => {
    joined = await startJoined(prefixed, QUERY, [openApi()]);
    document = await fetchDocument(new Client(joined.api), '/openapi.json');
  });
  afterAll(() => joined.close());

  const modulePaths = () =>
    Object.entries(document.paths).flatMap(([path, { get, post }]) =>
      path.includes('+') && get && post ? [{ path, get, post }] : [],
    );
  /** Sends what was written to a path of the document, as its server entry says, with high limits. */
  const send = async (path: string, texts: Iterable<[string, string]>, byForm = false): Promise<Json> => {
    const written = new URLSearchParams([
      ...texts,
      ['formatversion', '2'],
      ['errorformat', 'plaintext'],
      ['format', 'json'],
    ]);
    const url = document.servers[0]!.url + path;
    const headers = { authorization: `Bearer ${joined.tokens.robot}` };
    const response = await (byForm
      ? fetch(url, { method: 'POST', body: written, headers })
      : fetch(`${url}?${written}`, { headers }));
    expect(response.status).toBe(200);
    return (await response.json()) as Json;
  };
  const codesOf = (json: Json): readonly string[] =>
    (['errors', 'warnings'] as const).flatMap((key) =>
      ((json[key] ?? []) as unknown as readonly { readonly code: string }[]).map(({ code }) => code),
    );

  test('each parameter of each module is read as described', async () => {
    const codes = new Set<string>();
    let [sent, answered] = [0, 0];
    for (const { path, get } of modulePaths()) {
      const parameters = parametersOf(document, get);
      const write = (p: ParameterObject) => [...serialise(p, sampleOf(p.schema, document))];
      const fixed = parameters.filter(({ name, required }) => required || name === 'titles').flatMap(write);
      for (const parameter of (get.parameters ?? []).flatMap((p) => ('name' in p ? [p] : []))) {
        if (parameter.schema.patternProperties) continue;
        const [, source] = /One parameter for each value of `(\w+)`/.exec(parameter.description ?? '') ?? [];
        const needed = parameters.filter(({ name }) => name === source).flatMap(write);
        const json = await send(path, [...fixed, ...needed, ...write(parameter)]);
        sent += 1;
        if (json['errors'] === undefined) answered += 1;
        for (const code of codesOf(json)) codes.add(code);
      }
    }
    expect([...codes].toSorted()).toEqual(RULES);
    expect(answered / sent).toBeGreaterThan(0.8);
  });

  test('every list in a form is encoded as described', async () => {
    const codes = new Set<string>();
    for (const { path, post } of modulePaths()) {
      const [{ schema, encoding = {} } = {}] = Object.values(post.requestBody?.content ?? {});
      const [own, query] = (schema?.allOf ?? []).map((one) => resolve<SchemaObject>(document, one));
      const properties: Readonly<Record<string, SchemaObject>> = { ...query?.properties, ...own?.properties };
      const write = (name: string) => [
        ...serialise({ name, in: 'form', schema: {}, ...encoding[name] }, sampleOf(properties[name] ?? {}, document)),
      ];
      const fixed = ['titles', ...(own?.required ?? [])].flatMap(write);
      for (const name of Object.keys(encoding).filter((one) => own?.properties?.[one])) {
        for (const code of codesOf(await send(path, [...fixed, ...write(name)], true))) codes.add(code);
      }
    }
    expect(RULES).toEqual(expect.arrayContaining([...codes]));
  });

  const api = (name: string, value: unknown) => {
    const parameter = parametersOf(document, document.paths['/api']!.get!).find((one) => one.name === name)!;
    return [...serialise(parameter, value)];
  };

  test('further modules and a generator have their parameters under their own names', async () => {
    const json = await send('/api', [
      ...api('action', 'query'),
      ...api('generator', 'allpages'),
      ...api('generatorParameters', { gaplimit: 'max', gapprefix: 'A' }),
      ...api('list', ['allusers', 'allcategories']),
      ...api('moduleParameters', { aulimit: 5, acprop: 'size|hidden' }),
    ]);
    expect(json).toMatchObject({ batchcomplete: true, limits: { allpages: 5000 } });
    expect(codesOf(json)).toEqual([]);
  });

  test('a client that accepts every media type of an operation gets JSON', async () => {
    const { content = {} } = resolve<ResponseObject>(
      document,
      document.paths['/api/query+allpages']!.get!.responses['200']!,
    );
    const accept = Object.keys(content).join(', ');
    expect(accept).toContain('text/html');
    const response = await fetch(`${joined.api}/query+allpages`, { headers: { accept } });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('names that depend on the request are the properties of one parameter', async () => {
    const { get } = document.paths['/api/query+ripeness']!;
    const own = (name: string, value: unknown) => [
      ...serialise(
        parametersOf(document, get!).find((one) => one.name === name)!,
        value,
      ),
    ];
    const json = await send('/api/query+ripeness', [
      ...own('rikinds', ['apple', 'pear']),
      ...own('ricolour-{kind}', { 'ricolour-apple': 'green|red', 'ricolour-pear': 'red' }),
    ]);
    expect(codesOf(json)).toEqual([]);
  });
});
