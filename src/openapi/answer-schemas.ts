import { defined } from '../core/query/toolkit.js';
import { type JsonSchema, type ModuleNode, ref } from './schemas.js';

/** Schemas of the responses of the query API. Items are open objects, because handlers decide what they contain. */

const TEXT: JsonSchema = { type: 'string' };
const INTEGER: JsonSchema = { type: 'integer' };
const OBJECT: JsonSchema = { type: 'object' };

const text = (description: string): JsonSchema => ({ ...TEXT, description });
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (additionalProperties: JsonSchema, description?: string): JsonSchema => ({
  type: 'object',
  description,
  additionalProperties,
});
const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  { required, description }: { readonly required?: readonly string[]; readonly description?: string } = {},
): JsonSchema => ({ type: 'object', description, required, properties });

const OBJECTS = listOf(OBJECT);
const TEXTS = listOf(TEXT);

/** Another schema of the document. */
const schema = (name: string): JsonSchema => ref('schemas', name);

const CODE = text('The code, for programs.');
const DOCUMENTATION = {
  docref: text('Where the API is documented.'),
  '*': text('Where the API is documented, in formatversion 1.'),
};

const CONDITION = objectOf(
  {
    code: CODE,
    module: text('The path of the module that reports it.'),
    text: text('The message, with errorformat plaintext or wikitext.'),
    html: text('The message, with errorformat html.'),
    '*': text('The message, in formatversion 1.'),
    key: text('The message key, with errorformat raw.'),
    params: {
      ...listOf({ type: ['string', 'number', 'object'] }),
      description: 'The message parameters, with errorformat raw.',
    },
    data: OBJECT,
  },
  { required: ['code', 'module'], description: 'An error or warning in every errorformat except bc.' },
);

const WARNINGS: JsonSchema = {
  description: 'Problems that did not make the request fail.',
  anyOf: [
    mapOf(
      objectOf({ warnings: TEXT, '*': TEXT }),
      'With errorformat bc: one text per module, with a line per warning.',
    ),
    listOf(schema('Condition')),
  ],
};

/** Fields of every response. */
const ECHO: Readonly<Record<string, JsonSchema>> = {
  requestid: TEXT,
  servedby: TEXT,
  curtimestamp: { ...TEXT, format: 'date-time' },
  uselang: TEXT,
  errorlang: TEXT,
  warnings: schema('Warnings'),
};

/** The response of an action whose data has its name. */
const answerOf = (action: string, data: JsonSchema, description?: string): JsonSchema =>
  objectOf({ [action]: data, ...ECHO }, { required: [action], ...defined({ description }) });

const RENAMED = listOf(objectOf({ from: TEXT, to: TEXT }, { required: ['from', 'to'] }));

const QUERY_ANSWER: JsonSchema = {
  type: 'object',
  not: { anyOf: [{ required: ['error'] }, { required: ['errors'] }] },
  properties: {
    batchcomplete: schema('Flag'),
    continue: mapOf(
      { type: ['string', 'number'] },
      'There are more results: repeat the request with all of these parameters added.',
    ),
    'query-continue': mapOf(OBJECT, 'With rawcontinue: the parameters to add to the same request, by module.'),
    limits: mapOf(INTEGER, 'The values of limit=max, by module.'),
    query: objectOf({
      normalized: RENAMED,
      redirects: RENAMED,
      interwiki: OBJECTS,
      badrevids: OBJECT,
      pageids: TEXTS,
      pages: {
        description: 'An array in formatversion 2, an object by page id in formatversion 1.',
        anyOf: [listOf(schema('Page')), mapOf(schema('Page'))],
      },
    }),
    ...ECHO,
  },
};

const API_ERROR: JsonSchema = {
  type: 'object',
  description: 'An error; the header MediaWiki-API-Error contains its code.',
  anyOf: [{ required: ['error'] }, { required: ['errors'] }],
  properties: {
    error: objectOf(
      { code: CODE, info: text('The message.'), ...DOCUMENTATION },
      { required: ['code', 'info'], description: 'With errorformat bc.' },
    ),
    errors: listOf(schema('Condition')),
    ...DOCUMENTATION,
    ...ECHO,
  },
};

/** A text that is in an object in formatversion 1. */
const whole = (description: string): JsonSchema => ({
  anyOf: [TEXT, objectOf({ '*': TEXT }, { required: ['*'] })],
  description,
});

export const ANSWER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Flag: { description: 'true in formatversion 2, an empty text in formatversion 1.', enum: [true, ''] },
  Condition: CONDITION,
  Warnings: WARNINGS,
  Page: objectOf(
    { pageid: INTEGER, ns: INTEGER, title: TEXT, missing: schema('Flag'), invalid: schema('Flag') },
    { description: 'A page. Most prop modules add their data under their own names.' },
  ),
  QueryAnswer: QUERY_ANSWER,
  ParaminfoAnswer: answerOf(
    'paraminfo',
    objectOf(
      {
        helpformat: TEXT,
        modules: OBJECTS,
        querymodules: OBJECTS,
        formatmodules: OBJECTS,
        mainmodule: OBJECT,
        pagesetmodule: OBJECT,
      },
      { required: ['helpformat'] },
    ),
  ),
  HelpAnswer: answerOf(
    'help',
    objectOf({ mime: TEXT, help: TEXT }, { required: ['mime', 'help'] }),
    'The help page with wrap.',
  ),
  ParseAnswer: answerOf(
    'parse',
    objectOf(
      {
        title: TEXT,
        pageid: INTEGER,
        revid: INTEGER,
        redirects: RENAMED,
        text: whole('The page as HTML.'),
        langlinks: OBJECTS,
        categories: OBJECTS,
        links: OBJECTS,
        templates: OBJECTS,
        images: TEXTS,
        externallinks: TEXTS,
        sections: OBJECTS,
        showtoc: { enum: [true, false, ''] },
        displaytitle: text('The title as HTML.'),
        wikitext: whole('The text of the page.'),
      },
      { required: ['title', 'pageid'] },
    ),
  ),
  CompareAnswer: answerOf(
    'compare',
    objectOf(
      {
        fromid: INTEGER,
        fromrevid: INTEGER,
        fromtitle: TEXT,
        toid: INTEGER,
        torevid: INTEGER,
        totitle: TEXT,
        diffsize: INTEGER,
        body: text('The difference as rows of an HTML table, in formatversion 2.'),
        '*': text('The difference as rows of an HTML table, in formatversion 1.'),
      },
      { description: 'Facts about both sides, whose names begin with `from` and `to`.' },
    ),
  ),
  OpenSearchAnswer: {
    type: 'array',
    description: 'The search, the titles, their descriptions (empty), and their URLs.',
    items: { anyOf: [TEXT, TEXTS] },
    minItems: 4,
    maxItems: 4,
  },
  ApiError: API_ERROR,
};

const failure = (description: string, headers: Readonly<Record<string, unknown>> = {}): object => ({
  description,
  headers: { 'MediaWiki-API-Error': ref('headers', 'MediaWiki-API-Error'), ...headers },
  content: { 'application/json': { schema: schema('ApiError') } },
});

export const ANSWER_HEADERS = {
  'MediaWiki-API-Error': { description: 'The code of the error, if there is one.', schema: TEXT },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: INTEGER },
} as const;

/** Data or an API error, both with status 200: as JSON, XML, a page or a script. */
const success = (data: readonly JsonSchema[]): object => ({
  description: 'Data, or an error.',
  headers: {
    'MediaWiki-API-Error': ref('headers', 'MediaWiki-API-Error'),
    'Retry-After': ref('headers', 'Retry-After'),
  },
  content: {
    'application/json': { schema: { anyOf: [...data, schema('ApiError')] } },
    'text/html': {},
    'text/javascript': {},
    'text/xml': {},
  },
});

/** Responses shared by many operations. */
export const RESPONSES: Readonly<Record<string, object>> = {
  Query: success([schema('QueryAnswer')]),
  Api: success(
    ['QueryAnswer', 'ParaminfoAnswer', 'HelpAnswer', 'ParseAnswer', 'CompareAnswer', 'OpenSearchAnswer'].map(schema),
  ),
  // Errors with a status other than 200.
  ApiForeignOrigin: {
    description: 'The parameters `origin` and `crossorigin` do not match the request.',
    content: { 'text/html': { schema: TEXT } },
  },
  ApiBadRequest: failure('The body is incomplete (400) or too large (413).'),
  ApiRateLimited: failure('The caller has sent too many requests.', { 'Retry-After': ref('headers', 'Retry-After') }),
  ApiUnavailable: failure('The caller cannot be identified at the moment. Try again later.', {
    'Retry-After': ref('headers', 'Retry-After'),
  }),
};

const withFailures = (answer: object): object => ({
  200: answer,
  403: ref('responses', 'ApiForeignOrigin'),
  429: ref('responses', 'ApiRateLimited'),
  '4XX': ref('responses', 'ApiBadRequest'),
  503: ref('responses', 'ApiUnavailable'),
});

/** The responses of the action endpoint. */
export const ENDPOINT_RESPONSES = withFailures(ref('responses', 'Api'));

const QUERY_RESPONSES = withFailures(ref('responses', 'Query'));

/** The responses at a module's own path. Only list modules have their own schema. */
export const moduleResponses = ({ group, name, module }: ModuleNode): object => {
  if (group !== 'list') return QUERY_RESPONSES;
  const { place, key = name } = module.result ?? {};
  const list = objectOf({ [key]: place === 'results' ? objectOf({ results: OBJECTS }) : OBJECTS });
  return withFailures(
    success([{ allOf: [schema('QueryAnswer'), place === 'top' ? list : objectOf({ query: list })] }]),
  );
};
