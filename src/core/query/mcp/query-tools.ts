import type { Schema } from '../../base/openapi.js';
import type { ModuleNode } from '../describe/module-tree.js';
import { submodulesOf } from '../describe/module-tree.js';
import { textOfModule } from '../describe/texts/help-text.js';
import { nearestName } from '../../base/spelling.js';
import { checkNames, wireText } from './arguments.js';
import { visible } from './content.js';
import type { ToolParts } from './module-tools.js';
import { ToolRefusal } from './refusal.js';
import { argumentSchema, closedObject, fieldsByName } from './schemas.js';
import type { Tool } from './tool.js';

const inShort = (node: ModuleNode) => ({ name: node.name, group: node.group, description: textOfModule(node).text });

const atLength = (node: ModuleNode, { site }: ToolParts) => ({
  ...inShort(node),
  generator: node.module.generator === true,
  parameters: Object.fromEntries(
    [...fieldsByName(node, site).values()].map((field) => [
      field.wireName,
      { ...argumentSchema(field), ...(field.required ? { required: true } : {}) },
    ]),
  ),
});

/** What `query` can be asked, module by module. */
export const describeModuleTool = (parts: ToolParts): Tool => {
  const { modules } = parts;
  const names = [...modules.keys()].sort();
  const described = new Map<string, object>();
  return {
    name: 'describe_module',
    title: 'Describe a module',
    description: 'Lists the modules that query can ask, or describes one of them with all its parameters.',
    input: closedObject({
      module: { type: 'string', enum: names, description: 'The module to describe. Without it all are listed.' },
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
        return visible({ modules: names.map((one) => modules.get(one)).flatMap((one) => (one ? [inShort(one)] : [])) });
      const node = typeof name === 'string' ? modules.get(name) : undefined;
      if (typeof name !== 'string' || node === undefined) {
        const near = typeof name === 'string' ? nearestName(name, names) : undefined;
        throw new ToolRefusal(
          `There is no such module. ${near === undefined ? 'Call describe_module without arguments for a list.' : `Did you mean ${near}?`}`,
        );
      }
      const module = described.get(name) ?? atLength(node, parts);
      described.set(name, module);
      return visible({ module });
    },
  };
};

/** Parameters of the action that are no matter of the caller: cursors go on, and what has no answer is not named. */
const OMITTED = new Set(['continue', 'rawcontinue']);

const openParameters = ({ site, query, modules }: ToolParts): Schema => {
  const answered = (group: string): readonly string[] =>
    submodulesOf(query)
      .filter((node) => node.group === group && modules.has(node.name))
      .map(({ name }) => name);
  const properties: Record<string, Schema> = {};
  for (const [name, field] of fieldsByName(query, site)) {
    if (OMITTED.has(name)) continue;
    const schema = argumentSchema(field);
    const values = ['prop', 'list', 'meta'].includes(name) ? answered(name) : undefined;
    properties[name] = values === undefined ? schema : { ...schema, items: { type: 'string', enum: values } };
  }
  return {
    type: 'object',
    description:
      'Parameters by their names, those of the modules as describe_module gives them, such as {"list": "search", "srsearch": "rope"}. As a generator a module has a g in front of each name.',
    properties,
    additionalProperties: { type: ['string', 'number', 'boolean', 'array'] },
  };
};

/** Everything else: the query API itself. */
export const queryTool = (parts: ToolParts): Tool => ({
  name: 'query',
  title: 'Query',
  description:
    'Asks any modules of the query API, several at once if need be, also in combinations that no other tool has. It is that of MediaWiki (action=query, formatversion=2).',
  input: closedObject({ parameters: openParameters(parts) }, ['parameters']),
  output: { type: 'object' },
  continues: true,
  run: async (args, call, place) => {
    checkNames(args, ['parameters'], 'query');
    const given = args['parameters'];
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new ToolRefusal('query needs the argument parameters, an object of parameters by their names.');
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      if (name === 'action' || name === 'format' || name === 'formatversion') continue;
      if (OMITTED.has(name)) throw new ToolRefusal(`query: leave ${name} out. A result that goes on has a cursor.`);
      const text = typeof value === 'string' ? value : wireText(value, name, Array.isArray(value));
      if (text !== undefined) sent[name] = text;
    }
    return parts.queries.ask(call, { ...sent, ...place });
  },
});
