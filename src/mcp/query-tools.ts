import { nearestName } from '../core/query/toolkit.js';
import { checkNames, wireText } from './arguments.js';
import { ToolError } from './errors.js';
import type { ToolParts } from './module-tools.js';
import { argumentSchema, closedObject, fieldsByName, type JsonSchema, type ModuleNode } from './schemas.js';
import type { Tool } from './tool.js';
import { visible } from './visible.js';

const summaryOf = (node: ModuleNode) => ({ name: node.name, group: node.group, description: node.text });

const descriptionOf = (node: ModuleNode, parts: ToolParts) => ({
  ...summaryOf(node),
  generator: node.module.generator === true,
  parameters: Object.fromEntries(
    [...fieldsByName(node, parts).values()].map((field) => [
      field.wireName,
      { ...argumentSchema(field), ...(field.required ? { required: true } : {}) },
    ]),
  ),
});

/** The tool that describes modules, for calls of `query`. */
export const describeModuleTool = (parts: ToolParts): Tool => {
  const { modules } = parts;
  const names = [...modules.keys()].sort();
  const described = new Map<string, object>();
  return {
    name: 'describe_module',
    title: 'Describe a module',
    description: 'Lists the modules for query, or describes one of them with all its parameters.',
    input: closedObject({
      module: { type: 'string', enum: names, description: 'The module to describe. Default: list all modules.' },
    }),
    output: {
      type: 'object',
      properties: { modules: { type: 'array', items: { type: 'object' } }, module: { type: 'object' } },
    },
    continues: false,
    run: async (args) => {
      checkNames(args, ['module'], 'describe_module');
      const { module: name } = args;
      if (name === undefined || name === null)
        return {
          data: visible({
            modules: names.map((one) => modules.get(one)).flatMap((one) => (one ? [summaryOf(one)] : [])),
          }),
        };
      const node = typeof name === 'string' ? modules.get(name) : undefined;
      if (typeof name !== 'string' || node === undefined) {
        const near = typeof name === 'string' ? nearestName(name, names) : undefined;
        throw new ToolError(
          `Unknown module. ${near === undefined ? 'Call describe_module without arguments for a list.' : `Did you mean ${near}?`}`,
        );
      }
      const module = described.get(name) ?? descriptionOf(node, parts);
      described.set(name, module);
      return { data: visible({ module }) };
    },
  };
};

/** Parameters of `action=query` that cursors replace. */
const OMITTED = new Set(['continue', 'rawcontinue']);

const parametersSchema = (parts: ToolParts): JsonSchema => {
  const { query, modules } = parts;
  const availableIn = (group: string): readonly string[] =>
    query.submodules.filter((node) => node.group === group && modules.has(node.name)).map(({ name }) => name);
  const properties: Record<string, JsonSchema> = {};
  for (const [name, field] of fieldsByName(query, parts)) {
    if (OMITTED.has(name)) continue;
    const schema = argumentSchema(field);
    const values = ['prop', 'list', 'meta'].includes(name) ? availableIn(name) : undefined;
    properties[name] = values === undefined ? schema : { ...schema, items: { type: 'string', enum: values } };
  }
  return {
    type: 'object',
    description:
      'Parameters by name, including those of modules as listed by describe_module, such as {"list": "search", "srsearch": "rope"}. The parameters of a generator are prefixed with g.',
    properties,
    additionalProperties: { type: ['string', 'number', 'boolean', 'array'] },
  };
};

/** The tool that runs any query. */
export const queryTool = (parts: ToolParts): Tool => ({
  name: 'query',
  title: 'Query',
  description:
    "Runs any query of the API, with several modules at once if needed, for whatever the other tools do not offer. Compatible with MediaWiki's action=query in formatversion 2.",
  input: closedObject({ parameters: parametersSchema(parts) }, ['parameters']),
  output: { type: 'object' },
  continues: true,
  run: async (args, call, position) => {
    checkNames(args, ['parameters'], 'query');
    const given = args['parameters'];
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new ToolError('query needs the argument parameters, an object with parameters by name.');
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      if (name === 'action' || name === 'format' || name === 'formatversion') continue;
      if (OMITTED.has(name)) throw new ToolError(`query: omit ${name}. To continue a result, pass its cursor.`);
      const text = typeof value === 'string' ? value : wireText(value, name, Array.isArray(value));
      if (text !== undefined) sent[name] = text;
    }
    return parts.queries.run(call, { ...sent, ...position });
  },
});
