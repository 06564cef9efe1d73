import type { QueryApi } from '../core/query/index.js';
import { ANSWER_HEADERS, ANSWER_SCHEMAS, ENDPOINT_RESPONSES, moduleResponses, RESPONSES } from './answer-schemas.js';
import {
  encodingOf,
  type Field,
  type JsonSchema,
  type ModuleNode,
  ref,
  SharedSchemas,
  toForm,
  toParameter,
} from './schemas.js';

/** The operations of a path, by lower-case method. */
type PathItem = Readonly<Partial<Record<'get' | 'post', Readonly<Record<string, unknown>>>>>;

/** A query parameter for any names that are not listed. */
const openParameter = (name: string, description: string, propertyNames: JsonSchema): object => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: true,
  schema: { type: 'object', propertyNames, additionalProperties: { type: ['string', 'number', 'boolean'] } },
});

const GENERATOR_RULE =
  'The parameters of the module that `generator` names: those of its own path, each prefixed with `g` (`gaplimit` for `aplimit`). Separate several values with a bar.';
const OPEN_PARAMETERS = {
  moduleParameters: openParameter(
    'moduleParameters',
    'The parameters of the other modules that `prop`, `list` and `meta` name: see their own paths. Separate several values with a bar.',
    { not: { pattern: '^g' } },
  ),
  generatorParameters: openParameter('generatorParameters', GENERATOR_RULE, { pattern: '^g' }),
};

const OPEN = Object.keys(OPEN_PARAMETERS).map((name) => ref('parameters', name));

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Fields and the schema of their form. */
interface Form {
  readonly fields: readonly Field[];
  readonly schema: JsonSchema;
}

/** The texts of an operation. */
interface OperationTexts {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true | undefined;
}

/**
 * The two operations of a path: GET with a query string, and POST with a form for requests that are too long for one.
 */
const byAddressAndForm = (
  { description, ...texts }: OperationTexts,
  own: Form,
  common: readonly Form[],
  responses: object,
): PathItem => {
  const names = new Set(own.fields.map(({ wireName }) => wireName));
  // A module's parameter may have the name of one of every query, such as `iwurl`: an operation lists it once.
  const shared = common.flatMap(({ fields }) => fields).filter(({ wireName }) => !names.has(wireName));
  return {
    get: {
      ...texts,
      description: description || undefined,
      parameters: [
        ...own.fields.map(toParameter),
        ...shared.map(({ wireName }) => ref('parameters', wireName)),
        ...OPEN,
      ],
      responses,
    },
    post: {
      ...texts,
      operationId: `${texts.operationId}-form`,
      requestBody: {
        required: true,
        content: {
          [FORM_TYPE]: {
            schema: { allOf: [own, ...common].map(({ schema }) => schema) },
            encoding: encodingOf([...own.fields, ...shared]),
          },
        },
      },
      responses,
    },
  };
};

const moduleDescription = (node: ModuleNode): string => {
  const { module, group } = node;
  const sentences = [
    ...(module.generator === true
      ? [`\`generator=${module.name}\` passes its pages to other modules; its parameters are then prefixed with \`g\`.`]
      : []),
    ...(group === 'prop' ? ['Select pages with `titles`, `pageids`, `revids` or `generator`.'] : []),
    ...(module.readrights === false ? [] : ['Requires read rights.']),
    ...unansweredNote(node),
  ];
  return sentences.join(' ');
};

const unansweredNote = ({ unanswered }: ModuleNode): readonly string[] =>
  unanswered === true ? ['Not available on this site.'] : [];

/** Merges parameters of several actions that have the same name on the wire. */
const mergedByAction = (actions: readonly (readonly [ModuleNode, readonly Field[]])[]): readonly Field[] => {
  const merged = new Map<string, Field>();
  for (const [{ name }, fields] of actions) {
    for (const field of fields) {
      const before = merged.get(field.wireName);
      const text = `With \`action=${name}\`: ${field.description}`;
      const { default: _ofOneOnly, ...schema } = field.schema;
      merged.set(field.wireName, {
        ...(before ?? field),
        required: false,
        schema: before ? eitherOf(before.schema, schema) : schema,
        description: before ? `${before.description} ${text}` : text,
      });
    }
  }
  return [...merged.values()];
};

const eitherOf = (first: JsonSchema, second: JsonSchema): JsonSchema => {
  const all = [...(Array.isArray(first['anyOf']) ? first['anyOf'] : [first]), second];
  const different = [...new Map(all.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? first : { anyOf: different };
};

const TAGS = [
  { name: 'action', description: 'Actions' },
  { name: 'list', description: 'Lists' },
  { name: 'prop', description: 'Properties of pages' },
  { name: 'meta', description: 'The site and the caller' },
];

const DESCRIPTION =
  'A query API compatible with that of MediaWiki. ' +
  'Parameters with several values separate them with a bar, `style: pipeDelimited`; to send a value that contains a bar, put ' +
  'U+001F in front of every value instead. A boolean parameter is true if it is present. ' +
  'Callers with the right `apihighlimits` have higher limits.';

/** The parts that are the same for all modules. */
const frameOf = ({ site: { name }, version }: QueryApi, issuer: string | undefined): object => ({
  openapi: '3.1.1',
  info: { title: `API of ${name}`, version, description: DESCRIPTION },
  // A relative one, if the address depends on the request.
  servers: [{ url: issuer ?? '/' }],
  security: [{}, { bearer: [] }],
  tags: TAGS,
});

const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token of this server (RFC 6750).' },
};

const endpointTexts = ({ text }: ModuleNode, actions: readonly ModuleNode[]): OperationTexts => ({
  operationId: 'api',
  tags: ['action'],
  summary: text,
  description: actions
    .map((node) => [`- \`action=${node.name}\`: ${node.text}`, ...unansweredNote(node)].join(' '))
    .join('\n'),
});

/** Describes the query API: its endpoint, and each module at its own path. */
export const openApiDocument = (api: QueryApi, issuer: string | undefined): object => {
  const { tree, path } = api;
  const shared = new SharedSchemas();
  const of = (node: ModuleNode): readonly Field[] => api.fields(node, shared);
  const child = (name: string): ModuleNode => tree.children.get(name) ?? tree;
  const [action, ...main] = of(tree);
  const general = [...main, ...of(child('json'))];
  const query = of(child('query'));
  const described = tree.submodules.filter(({ group }) => group === 'action');
  const actions = described.map((node) => [node, of(node)] as const);
  const ofAll: Form = { fields: general, schema: ref('schemas', 'GeneralParameters') };
  const common: readonly Form[] = [{ fields: query, schema: ref('schemas', 'QueryParameters') }, ofAll];
  const ownForm = (name: string, fields: readonly Field[]): Form => ({
    fields,
    schema: shared.define(name, toForm(fields)),
  });

  const modules = child('query').submodules.map((node): readonly [string, PathItem] => {
    const { name, group, module } = node;
    const texts: OperationTexts = {
      operationId: `query-${name}`,
      tags: [group],
      summary: node.text,
      description: moduleDescription(node),
      deprecated: module.deprecated,
    };
    const own = ownForm(`${name.charAt(0).toLowerCase()}${name.slice(1)}Parameters`, of(node));
    return [`${path}/${node.path}`, byAddressAndForm(texts, own, common, moduleResponses(node))];
  });

  const endpoint = byAddressAndForm(
    endpointTexts(tree, described),
    ownForm('ActionParameters', [...(action ? [action] : []), ...mergedByAction(actions)]),
    [ofAll],
    ENDPOINT_RESPONSES,
  );

  return {
    ...frameOf(api, issuer),
    paths: { [path]: endpoint, ...Object.fromEntries(modules) },
    components: {
      parameters: {
        ...Object.fromEntries([...query, ...general].map((field) => [field.wireName, toParameter(field)])),
        ...OPEN_PARAMETERS,
      },
      schemas: {
        ...ANSWER_SCHEMAS,
        GeneralParameters: toForm(general),
        QueryParameters: toForm(query),
        ...shared.all(),
      },
      responses: RESPONSES,
      headers: ANSWER_HEADERS,
      securitySchemes: SECURITY,
    },
  };
};
