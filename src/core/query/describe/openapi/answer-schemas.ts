import { ref, type Schema } from '../../../base/openapi.js';
import type { ModuleNode } from '../module-tree.js';

/** What the answers of the query API look like. Data are open: handlers say what an item has. */

const OBJECT: Schema = { type: 'object' };
const OBJECTS: Schema = { type: 'array', items: OBJECT };
const TEXT: Schema = { type: 'string' };
const TEXTS: Schema = { type: 'array', items: TEXT };

/** A flag that is set: `true` in formatversion 2, an empty text in formatversion 1. */
const FLAG: Schema = { description: 'True in formatversion 2, an empty text in formatversion 1.', enum: [true, ''] };

const FLAG_OR_FALSE: Schema = { enum: [true, false, ''] };

const text = (description: string): Schema => ({ type: 'string', description });

const CONDITION: Schema = {
  type: 'object',
  description: 'An error or warning as every errorformat but bc has it.',
  required: ['code', 'module'],
  properties: {
    code: text('For programs.'),
    module: text('The path of the module that says it.'),
    text: text('For people; with errorformat plaintext or wikitext.'),
    html: text('For people; with errorformat html.'),
    '*': text('For people, in formatversion 1.'),
    key: text('The key of the message; with errorformat raw.'),
    params: {
      type: 'array',
      items: { type: ['string', 'number', 'object'] },
      description: 'What fills the message; with errorformat raw.',
    },
    data: OBJECT,
  },
};

const WARNINGS: Schema = {
  description: 'What the client should know although it was answered.',
  anyOf: [
    {
      type: 'object',
      description: 'With errorformat bc: by the name of the module, a text with a line for each.',
      additionalProperties: { type: 'object', properties: { warnings: TEXT, '*': TEXT } },
    },
    { type: 'array', items: ref('schemas', 'Condition') },
  ],
};

/** What every answer may repeat or add beside its data. */
const ECHO: Schema = {
  requestid: TEXT,
  servedby: TEXT,
  curtimestamp: { type: 'string', format: 'date-time' },
  uselang: TEXT,
  errorlang: TEXT,
  warnings: ref('schemas', 'Warnings'),
};

const PAGE: Schema = {
  type: 'object',
  description: 'A page with what prop modules say about it, most of them under their own names.',
  properties: {
    pageid: { type: 'integer' },
    ns: { type: 'integer' },
    title: TEXT,
    missing: ref('schemas', 'Flag'),
    invalid: ref('schemas', 'Flag'),
  },
};

const RENAMED: Schema = {
  type: 'array',
  items: { type: 'object', required: ['from', 'to'], properties: { from: TEXT, to: TEXT } },
};

const QUERY_ANSWER: Schema = {
  type: 'object',
  not: { anyOf: [{ required: ['error'] }, { required: ['errors'] }] },
  properties: {
    batchcomplete: ref('schemas', 'Flag'),
    continue: {
      type: 'object',
      description: 'There is more: send the same request again with all of these added.',
      additionalProperties: { type: ['string', 'number'] },
    },
    'query-continue': {
      type: 'object',
      description: 'With rawcontinue: by module, what to add to the same request.',
      additionalProperties: OBJECT,
    },
    limits: {
      type: 'object',
      description: 'What limit=max came to, by module.',
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
          description: 'A list in formatversion 2, by number in formatversion 1.',
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

const API_ERROR: Schema = {
  type: 'object',
  description: 'A refusal; the header field MediaWiki-API-Error has its code as well.',
  anyOf: [{ required: ['error'] }, { required: ['errors'] }],
  properties: {
    error: {
      type: 'object',
      description: 'With errorformat bc.',
      required: ['code', 'info'],
      properties: {
        code: text('For programs.'),
        info: text('For people.'),
        docref: text('Where the API is described.'),
        '*': text('Where the API is described, in formatversion 1.'),
      },
    },
    errors: { type: 'array', items: ref('schemas', 'Condition') },
    docref: text('Where the API is described.'),
    '*': text('Where the API is described, in formatversion 1.'),
    ...ECHO,
  },
};

const PARAMINFO_ANSWER: Schema = {
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

const HELP_ANSWER: Schema = {
  type: 'object',
  description: 'The help page with wrap.',
  required: ['help'],
  properties: {
    help: { type: 'object', required: ['mime', 'help'], properties: { mime: TEXT, help: TEXT } },
    ...ECHO,
  },
};

/** A text that formatversion 1 puts into an object. */
const WHOLE: Schema = { anyOf: [TEXT, { type: 'object', required: ['*'], properties: { '*': TEXT } }] };

const PARSE_ANSWER: Schema = {
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
        categories: OBJECTS,
        links: OBJECTS,
        sections: OBJECTS,
        showtoc: FLAG_OR_FALSE,
        displaytitle: text('The title as HTML.'),
        wikitext: { ...WHOLE, description: 'The text of the page.' },
      },
    },
    ...ECHO,
  },
};

const OPEN_SEARCH_ANSWER: Schema = {
  type: 'array',
  description: 'The search, titles, a description for each, which are empty, and addresses.',
  items: { anyOf: [TEXT, TEXTS] },
  minItems: 4,
  maxItems: 4,
};

export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Flag: FLAG,
  Condition: CONDITION,
  Warnings: WARNINGS,
  Page: PAGE,
  QueryAnswer: QUERY_ANSWER,
  ParaminfoAnswer: PARAMINFO_ANSWER,
  HelpAnswer: HELP_ANSWER,
  ParseAnswer: PARSE_ANSWER,
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
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
} as const;

/** Data or, with status 200 like them, a refusal: as JSON or, on wish, as a page or a script. */
const success = (schemas: readonly Schema[]): object => ({
  description: 'Data, or a refusal that names its reason.',
  headers: {
    'MediaWiki-API-Error': ref('headers', 'MediaWiki-API-Error'),
    'Retry-After': ref('headers', 'Retry-After'),
  },
  content: {
    'application/json': { schema: { anyOf: [...schemas, ref('schemas', 'ApiError')] } },
    'text/html': {},
    'text/javascript': {},
  },
});

/** Answers that many operations give. */
export const RESPONSES: Readonly<Record<string, object>> = {
  Query: success([ref('schemas', 'QueryAnswer')]),
  Api: success(
    ['QueryAnswer', 'ParaminfoAnswer', 'HelpAnswer', 'ParseAnswer', 'OpenSearchAnswer'].map((name) =>
      ref('schemas', name),
    ),
  ),
  // Refusals that have a status of their own.
  ApiForeignOrigin: {
    description: 'The parameters `origin` and `crossorigin` do not fit the request.',
    content: { 'text/plain': { schema: TEXT } },
  },
  ApiBadRequest: failure('The body was cut short (400) or is too large (413).'),
  ApiUnavailable: failure('The caller cannot be identified at the moment.', {
    'Retry-After': ref('headers', 'Retry-After'),
  }),
};

const withFailures = (answer: object): object => ({
  200: answer,
  403: ref('responses', 'ApiForeignOrigin'),
  '4XX': ref('responses', 'ApiBadRequest'),
  503: ref('responses', 'ApiUnavailable'),
});

/** The answers of the action endpoint. */
export const ENDPOINT_RESPONSES = withFailures(ref('responses', 'Api'));

const QUERY_RESPONSES = withFailures(ref('responses', 'Query'));

const under = (key: string, schema: Schema): Schema => ({ type: 'object', properties: { [key]: schema } });

/** Where a list stands among the data. */
export const listSchema = ({ name, module }: ModuleNode): Schema => {
  const { place, key = name } = module.result ?? {};
  return under(key, place === 'results' ? under('results', OBJECTS) : OBJECTS);
};

/** The answers at a module's own path. Where a list stands is known; everything else is described once for all. */
export const moduleResponses = (node: ModuleNode): object => {
  if (node.group !== 'list') return QUERY_RESPONSES;
  const list = listSchema(node);
  const isTop = node.module.result?.place === 'top';
  return withFailures(success([{ allOf: [ref('schemas', 'QueryAnswer'), isTop ? list : under('query', list)] }]));
};
