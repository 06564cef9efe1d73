import { type OpenApiPart, type PathItem, ref, type Schema } from '../../openapi.js';
import { type ModuleNode, submodulesOf } from '../description/module-tree.js';
import { textOfModule } from '../help/descriptions.js';
import { GROUP_TITLES } from '../help/help.js';
import type { Site } from '../site/site.js';
import { ANSWER_HEADERS, ANSWER_SCHEMAS, ENDPOINT_RESPONSES, moduleResponses, RESPONSES } from './answers.js';
import { encodingOf, type Field, fieldsOf, toForm, toParameter } from './fields.js';
import { schemaName, SharedSchemas } from './shared-schemas.js';

/** What the description of the query API is made of. */
export interface QueryDescription {
  /** Every module, in its place. */
  readonly tree: ModuleNode;
  readonly site: Site;
  /** Where the action endpoint is, below the mount point. */
  readonly path: string;
}

/** Any parameters beside the named ones, each under its own name. */
const openParameter = (name: string, description: string, propertyNames: Schema): object => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: true,
  schema: { type: 'object', propertyNames, additionalProperties: { type: ['string', 'number', 'boolean'] } },
});

const GENERATOR_RULE =
  'The parameters of the module that `generator` names: those of its own path, with a `g` in front of each name (`gaplimit` for `aplimit`). Several values are joined with a bar.';

const OPEN_PARAMETERS = {
  moduleParameters: openParameter(
    'moduleParameters',
    'The parameters of further modules that `prop`, `list` and `meta` name, as their own paths describe them. Several values are joined with a bar.',
    { not: { pattern: '^g' } },
  ),
  generatorParameters: openParameter('generatorParameters', GENERATOR_RULE, { pattern: '^g' }),
};

const OPEN = Object.keys(OPEN_PARAMETERS).map((name) => ref('parameters', name));

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Fields that several operations have, as components that they refer to. */
interface CommonFields {
  readonly fields: readonly Field[];
  readonly form: Schema;
  readonly parameters: readonly Schema[];
}

const commonFields = (name: string, fields: readonly Field[]): CommonFields => ({
  fields,
  form: ref('schemas', name),
  parameters: fields.map(({ wireName }) => ref('parameters', wireName)),
});

/** What an operation says beside its parameters. */
interface OperationTexts {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
}

/** The two ways of asking: by an address, or by a form for what is too long for one. */
const byAddressAndForm = (
  { description, ...texts }: OperationTexts,
  own: { readonly fields: readonly Field[]; readonly parameters: readonly object[]; readonly form: Schema },
  common: readonly CommonFields[],
  responses: object,
): PathItem => {
  const fields = [...own.fields, ...common.flatMap((one) => one.fields)];
  const schemas = [own.form, ...common.map(({ form }) => form)];
  return {
    get: {
      ...texts,
      ...(description === undefined || description === '' ? {} : { description }),
      parameters: [...own.parameters, ...common.flatMap(({ parameters }) => parameters), ...OPEN],
      responses,
    },
    post: {
      ...texts,
      operationId: `${texts.operationId}-form`,
      requestBody: {
        required: true,
        content: { [FORM_TYPE]: { schema: { allOf: schemas }, encoding: encodingOf(fields) } },
      },
      responses,
    },
  };
};

const moduleDescription = ({ module, group }: ModuleNode): string =>
  [
    ...(module.generator === true
      ? [
          `As \`generator=${module.name}\` it finds the pages that others work on; a \`g\` stands before its parameters then.`,
        ]
      : []),
    ...(group === 'prop' ? ['Choose the pages with `titles`, `pageids`, `revids` or `generator`.'] : []),
    ...(module.readrights === false ? [] : ['Needs the right to read.']),
  ].join(' ');

/** One name on the wire may belong to several actions; which one a request means is up to its `action`. */
const mergedByAction = (actions: readonly (readonly [ModuleNode, readonly Field[]])[]): readonly Field[] => {
  const merged = new Map<string, Field>();
  for (const [{ name }, fields] of actions) {
    for (const field of fields) {
      const before = merged.get(field.wireName);
      const description = `With \`action=${name}\`: ${field.description}`;
      const { default: _ofOneOnly, ...schema } = field.schema;
      merged.set(
        field.wireName,
        before ? { ...before, schema, description: `${before.description} ${description}` } : { ...field, description },
      );
    }
  }
  return [...merged.values()];
};

/** Describes the query API as OpenAPI: its endpoint, and every module at its own path. */
export const describeQuery = ({ tree, site, path }: QueryDescription): OpenApiPart => {
  const shared = new SharedSchemas();
  const of = (node: ModuleNode): readonly Field[] => fieldsOf({ node, site, shared });
  const child = (name: string): ModuleNode => tree.children.get(name) ?? tree;
  const [action, ...main] = of(tree);
  const general = [...main, ...of(child('json'))];
  const query = of(child('query'));
  const actions = ['paraminfo', 'help'].map((name) => [child(name), of(child(name))] as const);
  const generalFields = commonFields('GeneralParameters', general);
  const queryFields = commonFields('QueryParameters', query);
  const ownOf = (fields: readonly Field[], form: Schema) => ({ fields, form, parameters: fields.map(toParameter) });

  const modules = submodulesOf(child('query'), false).map((node): readonly [string, PathItem] => {
    const { name, group, module } = node;
    const texts: OperationTexts = {
      operationId: `query-${name}`,
      tags: [group],
      summary: textOfModule(node).text,
      description: moduleDescription(node),
      ...(module.deprecated === true ? { deprecated: true } : {}),
    };
    const fields = of(node);
    const own = ownOf(fields, shared.define(schemaName(`${name}Parameters`), toForm(fields)));
    return [`${path}/${node.path}`, byAddressAndForm(texts, own, [queryFields, generalFields], moduleResponses(node))];
  });

  const actionFields = [...(action ? [action] : []), ...mergedByAction(actions)];
  const endpoint = byAddressAndForm(
    {
      operationId: 'api',
      tags: ['action'],
      summary: textOfModule(tree).text,
      description: ['query', 'paraminfo', 'help']
        .map((name) => `- \`action=${name}\`: ${textOfModule(child(name)).text}`)
        .join('\n'),
    },
    ownOf(actionFields, shared.define('ActionParameters', toForm(actionFields))),
    [queryFields, generalFields],
    ENDPOINT_RESPONSES,
  );

  return {
    tags: GROUP_TITLES.filter(([group]) => group !== 'format').map(([name, description]) => ({ name, description })),
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
    },
  };
};
