import { type JsonSchema, type ModuleNode, ref } from './schemas.js';

/** Schemas of the responses of the query API. Items are open objects, because handlers decide what they contain. */

const OBJECT: JsonSchema = { type: 'object' };
const OBJECTS: JsonSchema = { type: 'array', items: OBJECT };
const TEXT: JsonSchema = { type: 'string' };
const TEXTS: JsonSchema = { type: 'array', items: TEXT };

/** A flag that is set. */
const FLAG: JsonSchema = {
  description: 'true in formatversion 2, an empty text in formatversion 1.',
  enum: [true, ''],
};

const FLAG_OR_FALSE: JsonSchema = { enum: [true, false, ''] };

const text = (description: string): JsonSchema => ({ type: 'string', description });

const CONDITION: JsonSchema = {
  type: 'object',
  description: 'An error or warning in every errorformat except bc.',
  required: ['code', 'module'],
  properties: {
    code: text('The code, for programs.'),
    module: text('The path of the module that reports it.'),
    text: text('The message, with errorformat plaintext or wikitext.'),
    html: text('The message, with errorformat html.'),
    '*': text('The message, in formatversion 1.'),
    key: text('The message key, with errorformat raw.'),
    params: {
      type: 'array',
      items: { type: ['string', 'number', 'object'] },
      description: 'The message parameters, with errorformat raw.',
    },
    data: OBJECT,
  },
};

const WARNINGS: JsonSchema = {
  description: 'Problems that did not make the request fail.',
  anyOf: [
    {
      type: 'object',
      description: 'With errorformat bc: one text per module, with a line per warning.',
      additionalProperties: { type: 'object', properties: { warnings: TEXT, '*': TEXT } },
    },
    { type: 'array', items: ref('schemas', 'Condition') },
  ],
};

/** Fields of every response. */
const ECHO: JsonSchema = {
  requestid: TEXT,
  servedby: TEXT,
  curtimestamp: { type: 'string', format: 'date-time' },
  uselang: TEXT,
  errorlang: TEXT,
  warnings: ref('schemas', 'Warnings'),
};

const PAGE: JsonSchema = {
  type: 'object',
  description: 'A page. Most prop modules add their data under their own names.',
  properties: {
    pageid: { type: 'integer' },
    ns: { type: 'integer' },
    title: TEXT,
    missing: ref('schemas', 'Flag'),
    invalid: ref('schemas', 'Flag'),
  },
};

const RENAMED: JsonSchema = {
  type: 'array',
  items: { type: 'object', required: ['from', 'to'], properties: { from: TEXT, to: TEXT } },
};

const QUERY_ANSWER: JsonSchema = {
  type: 'object',
  not: { anyOf: [{ required: ['error'] }, { required: ['errors'] }] },
  properties: {
    batchcomplete: ref('schemas', 'Flag'),
    continue: {
      type: 'object',
      description: 'There are more results: repeat the request with all of these parameters added.',
      additionalProperties: { type: ['string', 'number'] },
    },
    'query-continue': {
      type: 'object',
      description: 'With rawcontinue: the parameters to add to the same request, by module.',
      additionalProperties: OBJECT,
    },
    limits: {
      type: 'object',
      description: 'The values of limit=max, by module.',
      additionalProperties: { type: 'integer' },
    },
    query: {
      type: 'object',
      properties: {
        normalized: RENAMED,
        redirects: RENAMED,
        interwiki: OBJECTS,
        badrevids: OBJECT,
        pageids: { type: 'array', items: TEXT },
        pages: {
          description: 'An array in formatversion 2, an object by page id in formatversion 1.',
          anyOf: [
            { type: 'array', items: ref('schemas', 'Page') },
            { type: 'object', additionalProperties: ref('schemas', 'Page') },
          ],
        },
      },
    },
    ...ECHO,
  },
};

const API_ERROR: JsonSchema = {
  type: 'object',
  description: 'An error; the header MediaWiki-API-Error contains its code.',
  anyOf: [{ required: ['error'] }, { required: ['errors'] }],
  properties: {
    error: {
      type: 'object',
      description: 'With errorformat bc.',
      required: ['code', 'info'],
      properties: {
        code: text('The code, for programs.'),
        info: text('The message.'),
        docref: text('Where the API is documented.'),
        '*': text('Where the API is documented, in formatversion 1.'),
      },
    },
    errors: { type: 'array', items: ref('schemas', 'Condition') },
    docref: text('Where the API is documented.'),
    '*': text('Where the API is documented, in formatversion 1.'),
    ...ECHO,
  },
};

const PARAMINFO_ANSWER: JsonSchema = {
  type: 'object',
  required: ['paraminfo'],
  properties: {
    paraminfo: {
      type: 'object',
      required: ['helpformat'],
      properties: {
        helpformat: TEXT,
        modules: OBJECTS,
        querymodules: OBJECTS,
        formatmodules: OBJECTS,
        mainmodule: OBJECT,
        pagesetmodule: OBJECT,
      },
    },
    ...ECHO,
  },
};

const HELP_ANSWER: JsonSchema = {
  type: 'object',
  description: 'The help page with wrap.',
  required: ['help'],
  properties: {
    help: { type: 'object', required: ['mime', 'help'], properties: { mime: TEXT, help: TEXT } },
    ...ECHO,
  },
};

/** A text that is in an object in formatversion 1. */
const WHOLE: JsonSchema = { anyOf: [TEXT, { type: 'object', required: ['*'], properties: { '*': TEXT } }] };

const PARSE_ANSWER: JsonSchema = {
  type: 'object',
  required: ['parse'],
  properties: {
    parse: {
      type: 'object',
      required: ['title', 'pageid'],
      properties: {
        title: TEXT,
        pageid: { type: 'integer' },
        revid: { type: 'integer' },
        redirects: RENAMED,
        text: { ...WHOLE, description: 'The page as HTML.' },
        langlinks: OBJECTS,
        categories: OBJECTS,
        links: OBJECTS,
        templates: OBJECTS,
        images: TEXTS,
        externallinks: TEXTS,
        sections: OBJECTS,
        showtoc: FLAG_OR_FALSE,
        displaytitle: text('The title as HTML.'),
        wikitext: { ...WHOLE, description: 'The text of the page.' },
      },
    },
    ...ECHO,
  },
};

const COMPARE_ANSWER: JsonSchema = {
  type: 'object',
  required: ['compare'],
  properties: {
    compare: {
      type: 'object',
      description: 'Facts about both sides, whose names begin with `from` and `to`.',
      properties: {
        fromid: { type: 'integer' },
        fromrevid: { type: 'integer' },
        fromtitle: TEXT,
        toid: { type: 'integer' },
        torevid: { type: 'integer' },
        totitle: TEXT,
        diffsize: { type: 'integer' },
        body: text('The difference as rows of an HTML table, in formatversion 2.'),
        '*': text('The difference as rows of an HTML table, in formatversion 1.'),
      },
    },
    ...ECHO,
  },
};

const OPEN_SEARCH_ANSWER: JsonSchema = {
  type: 'array',
  description: 'The search, the titles, their descriptions (empty), and their URLs.',
  items: { anyOf: [TEXT, TEXTS] },
  minItems: 4,
  maxItems: 4,
};

export const ANSWER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Flag: FLAG,
  Condition: CONDITION,
  Warnings: WARNINGS,
  Page: PAGE,
  QueryAnswer: QUERY_ANSWER,
  ParaminfoAnswer: PARAMINFO_ANSWER,
  HelpAnswer: HELP_ANSWER,
  ParseAnswer: PARSE_ANSWER,
  CompareAnswer: COMPARE_ANSWER,
  OpenSearchAnswer: OPEN_SEARCH_ANSWER,
  ApiError: API_ERROR,
};

const failure = (description: string, headers: Readonly<Record<string, unknown>> = {}): object => ({
  description,
  headers: { 'MediaWiki-API-Error': ref('headers', 'MediaWiki-API-Error'), ...headers },
  content: { 'application/json': { schema: ref('schemas', 'ApiError') } },
});

export const ANSWER_HEADERS = {
  'MediaWiki-API-Error': { description: 'The code of the error, if there is one.', schema: TEXT },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
} as const;

/** Data or an API error, both with status 200: as JSON, XML, a page or a script. */
const success = (schemas: readonly JsonSchema[]): object => ({
  description: 'Data, or an error.',
  headers: {
    'MediaWiki-API-Error': ref('headers', 'MediaWiki-API-Error'),
    'Retry-After': ref('headers', 'Retry-After'),
  },
  content: {
    'application/json': { schema: { anyOf: [...schemas, ref('schemas', 'ApiError')] } },
    'text/html': {},
    'text/javascript': {},
    'text/xml': {},
  },
});

/** Responses shared by many operations. */
export const RESPONSES: Readonly<Record<string, object>> = {
  Query: success([ref('schemas', 'QueryAnswer')]),
  Api: success(
    ['QueryAnswer', 'ParaminfoAnswer', 'HelpAnswer', 'ParseAnswer', 'CompareAnswer', 'OpenSearchAnswer'].map((name) =>
      ref('schemas', name),
    ),
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

const under = (key: string, schema: JsonSchema): JsonSchema => ({ type: 'object', properties: { [key]: schema } });

/** The schema of a list module's data. */
const listSchema = ({ name, module }: ModuleNode): JsonSchema => {
  const { place, key = name } = module.result ?? {};
  return under(key, place === 'results' ? under('results', OBJECTS) : OBJECTS);
};

/** The responses at a module's own path. Only list modules have their own schema. */
export const moduleResponses = (node: ModuleNode): object => {
  if (node.group !== 'list') return QUERY_RESPONSES;
  const list = listSchema(node);
  const isTop = node.module.result?.place === 'top';
  return withFailures(success([{ allOf: [ref('schemas', 'QueryAnswer'), isTop ? list : under('query', list)] }]));
};
