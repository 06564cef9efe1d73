import type { Schema } from '../../base/openapi.js';
import type { ModuleNode } from '../describe/module-tree.js';
import type { Field } from '../describe/openapi/fields.js';
import { textOfModule } from '../describe/texts/help-text.js';
import { parseTitle, prefixedTitle } from '../pages/title.js';
import type { Site } from '../site/site.js';
import { checkNames, wireText } from './arguments.js';
import type { Parameters, Queries } from './ask.js';
import { ToolRefusal } from './refusal.js';
import { answerSchema, argumentSchema, closedObject, fieldsByName } from './schemas.js';
import type { Arguments, Tool } from './tool.js';
import type { ToolSpec, Way } from './usual-tools.js';

/** What tools are made of. */
export interface ToolParts {
  readonly site: Site;
  readonly queries: Queries;
  /** What every query takes. */
  readonly query: ModuleNode;
  /** The modules that have an answer on this site, by name. */
  readonly modules: ReadonlyMap<string, ModuleNode>;
}

const TITLE: Schema = { type: 'string', description: 'The title of a page, with its namespace.' };

/** A way with everything that is needed to go it. */
interface CompiledWay extends Omit<Way, 'module'> {
  readonly node: ModuleNode;
  /** By argument. */
  readonly fields: ReadonlyMap<string, Field>;
}

const compileWay = (way: Omit<Way, 'module'>, node: ModuleNode, { site, query }: ToolParts): CompiledWay => {
  const known = new Map([...fieldsByName(query, site), ...fieldsByName(node, site)]);
  const fields = Object.entries(way.takes).flatMap(([argument, wireName]) => {
    const field = known.get(wireName);
    return field ? [[argument, field] as const] : [];
  });
  return { ...way, node, fields: new Map(fields) };
};

/** A category may be named without its namespace. */
const categoryTitle = (text: string, site: Site): string => {
  const title = parseTitle(text, site);
  return title.kind === 'local' && title.ns === 14 ? text : prefixedTitle(14, text, site);
};

const isChosen = ({ chosenBy, value }: CompiledWay, args: Arguments): boolean =>
  chosenBy === undefined || (value === undefined ? args[chosenBy] !== undefined : args[chosenBy] === value);

const parametersOf = (way: CompiledWay, args: Arguments, site: Site): Parameters => {
  const { node, fields, fixed = {}, usual = {}, chosenBy, value } = way;
  const known = [...fields.keys(), ...(chosenBy !== undefined && value !== undefined ? [chosenBy] : [])];
  checkNames(args, known, `With ${chosenBy ?? 'these arguments'}, ${node.name}`);
  const sent: Record<string, string> = { [node.group]: node.name, ...usual, ...fixed };
  for (const [argument, { wireName, multi }] of fields) {
    const text = wireText(args[argument], argument, multi);
    if (text !== undefined) sent[wireName] = argument === 'category' ? categoryTitle(text, site) : text;
  }
  return sent;
};

const kindSchema = (ways: readonly CompiledWay[]): Schema => ({
  type: 'string',
  enum: ways.map(({ value }) => value),
  description: ways.map(({ value, node }) => `${value}: ${textOfModule(node).text}`).join(' '),
});

const inputOf = (ways: readonly CompiledWay[], required: readonly string[]): Schema => {
  const properties: Record<string, Schema> = {};
  const choice = ways.find(({ value }) => value !== undefined)?.chosenBy;
  if (choice !== undefined) properties[choice] = kindSchema(ways);
  // The last way is the usual one: what it says of an argument holds.
  for (const { fields } of ways.toReversed()) {
    for (const [argument, field] of fields) {
      properties[argument] ??= argument === 'title' ? TITLE : argumentSchema(field);
    }
  }
  return closedObject(properties, required);
};

const outputOf = (ways: readonly CompiledWay[]): Schema => {
  const [first, ...others] = ways.map(({ node }) => answerSchema(node));
  return others.length === 0 && first ? first : { anyOf: [...(first ? [first] : []), ...others] };
};

const toolOf = (
  { name, title, note, required = [] }: Omit<ToolSpec, 'ways'>,
  ways: readonly CompiledWay[],
  { queries, site }: ToolParts,
): Tool => {
  const usual = ways.at(-1);
  const input = inputOf(ways, required);
  const described = ways.some(({ value }) => value !== undefined)
    ? `Lists what a page is linked with, by kind.`
    : usual === undefined
      ? ''
      : textOfModule(usual.node).text;
  return {
    name,
    title,
    description: [described, note].filter((text) => text !== undefined && text !== '').join(' '),
    input,
    output: outputOf(ways),
    continues: ways.some(({ node }) => node.group !== 'meta' || 'continue' in node.module.parameters),
    run: async (args, call, place) => {
      checkNames(args, Object.keys(Object(input['properties'])), name);
      const missing = required.find((argument) => args[argument] === undefined);
      if (missing !== undefined) throw new ToolRefusal(`${name} needs the argument ${missing}.`);
      const way = ways.find((one) => isChosen(one, args));
      if (way === undefined) {
        const values = ways.map(({ value }) => value).join(', ');
        throw new ToolRefusal(`${name}: ${ways[0]?.chosenBy ?? ''} must be one of ${values}.`);
      }
      return queries.ask(call, { ...parametersOf(way, args, site), ...place });
    },
  };
};

/** The tool, as far as the site has answers for it; `undefined` when it has none. */
export const usualTool = (spec: ToolSpec, parts: ToolParts): Tool | undefined => {
  const ways = spec.ways.flatMap(({ module, ...way }) => {
    const node = parts.modules.get(module);
    return node ? [compileWay(way, node, parts)] : [];
  });
  if (ways.length === 0) return undefined;
  // Without the module behind the usual way there is only the other one.
  return toolOf({ ...spec, required: requiredOf(spec, ways) }, ways, parts);
};

const requiredOf = ({ required = [], ways: all }: ToolSpec, ways: readonly CompiledWay[]): readonly string[] => {
  const [only] = ways;
  const isForced = all.length > 1 && ways.length === 1 && only?.chosenBy !== undefined && only.value === undefined;
  return isForced && only?.chosenBy !== undefined ? [...required, only.chosenBy] : required;
};

/** A tool that takes whatever a module takes, under the same names. */
export const moduleTool = (node: ModuleNode, parts: ToolParts): Tool => {
  const own = [...fieldsByName(node, parts.site).values()].filter(({ pattern }) => pattern === undefined);
  const { prefix, continueWith } = node.module;
  const cursors = new Set([`${prefix}continue`, ...(continueWith === undefined ? [] : [prefix + continueWith])]);
  const pages = node.group === 'prop' ? ['titles', 'pageids', 'revids', 'redirects'] : [];
  const names = [...pages, ...own.map(({ wireName }) => wireName)].filter((name) => !cursors.has(name));
  const required = own.filter((field) => field.required).map(({ wireName }) => wireName);
  const takes = Object.fromEntries(names.map((name) => [name, name]));
  return toolOf(
    { name: `query_${node.name}`, title: node.name, required },
    [compileWay({ takes }, node, parts)],
    parts,
  );
};
