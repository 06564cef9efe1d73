import type { QueryApi, Site } from '../core/query/index.js';
import { parseTitle, prefixedTitle } from '../core/query/toolkit.js';
import { checkNames, wireText } from './arguments.js';
import { ToolError } from './errors.js';
import type { Parameters, Queries } from './queries.js';
import {
  answerSchema,
  argumentSchema,
  closedObject,
  type Field,
  fieldsByName,
  type JsonSchema,
  type ModuleNode,
} from './schemas.js';
import { RESULTS, searchShape } from './search-results.js';
import type { ToolSpec, Variant } from './standard-tools.js';
import type { Arguments, Tool } from './tool.js';

/** The parts that tools are made of. */
export interface ToolParts extends Pick<QueryApi, 'site' | 'fields'> {
  readonly queries: Queries;
  /** `action=query` */
  readonly query: ModuleNode;
  /** The modules with handlers, by name. */
  readonly modules: ReadonlyMap<string, ModuleNode>;
}

const TITLE: JsonSchema = { type: 'string', description: 'The title of a page, with its namespace.' };

/** A variant with the module and the parameters that it names. */
interface CompiledVariant extends Omit<Variant, 'module' | 'parameters'> {
  readonly node: ModuleNode;
  /** By argument. */
  readonly fields: ReadonlyMap<string, Field>;
}

const compileVariant = (
  { parameters, ...variant }: Omit<Variant, 'module'>,
  node: ModuleNode,
  parts: ToolParts,
): CompiledVariant => {
  const known = new Map([...fieldsByName(parts.query, parts), ...fieldsByName(node, parts)]);
  const fields = Object.entries(parameters).flatMap(([argument, wireName]) => {
    const field = known.get(wireName);
    return field ? [[argument, field] as const] : [];
  });
  return { ...variant, node, fields: new Map(fields) };
};

/** Assistants may omit the namespace of a category. */
const categoryTitle = (text: string, site: Site): string => {
  const title = parseTitle(text, site);
  return title.kind === 'local' && title.ns === 14 ? text : prefixedTitle(14, text, site);
};

const isSelected = ({ selectedBy, value }: CompiledVariant, args: Arguments): boolean =>
  selectedBy === undefined || (value === undefined ? args[selectedBy] !== undefined : args[selectedBy] === value);

const parametersOf = (variant: CompiledVariant, args: Arguments, site: Site): Parameters => {
  const { node, fields, fixed = {}, defaults = {}, selectedBy, value } = variant;
  const known = [...fields.keys(), ...(selectedBy !== undefined && value !== undefined ? [selectedBy] : [])];
  checkNames(args, known, `With ${selectedBy ?? 'these arguments'}, ${node.name}`);
  const sent: Record<string, string> = { [node.group]: node.name, ...defaults, ...fixed };
  for (const [argument, { wireName, multi }] of fields) {
    const text = wireText(args[argument], argument, multi);
    if (text !== undefined) sent[wireName] = argument === 'category' ? categoryTitle(text, site) : text;
  }
  return sent;
};

const selectionSchema = (variants: readonly CompiledVariant[]): JsonSchema => ({
  type: 'string',
  enum: variants.map(({ value }) => value),
  description: variants.map(({ value, node }) => `${value}: ${node.text}`).join(' '),
});

const inputOf = (variants: readonly CompiledVariant[], required: readonly string[]): JsonSchema => {
  const properties: Record<string, JsonSchema> = {};
  const selection = variants.find(({ value }) => value !== undefined)?.selectedBy;
  if (selection !== undefined) properties[selection] = selectionSchema(variants);
  // The last variant is the default, so its description of an argument is the one to show.
  for (const { fields } of variants.toReversed()) {
    for (const [argument, field] of fields) {
      properties[argument] ??= argument === 'title' ? TITLE : argumentSchema(field);
    }
  }
  return closedObject(properties, required);
};

const outputOf = (variants: readonly CompiledVariant[]): JsonSchema => {
  const [first, ...others] = variants.map(({ node }) => answerSchema(node));
  return others.length === 0 && first ? first : { anyOf: [...(first ? [first] : []), ...others] };
};

const descriptionOf = (variants: readonly CompiledVariant[], note: string | undefined): string => {
  const last = variants.at(-1);
  const isSelection = variants.some(({ value }) => value !== undefined);
  const text = isSelection ? 'Lists the links of a page, by kind.' : last && last.node.text;
  return [text, note].filter((part) => part !== undefined && part !== '').join(' ');
};

const toolOf = (
  { name, title, note, required = [] }: Omit<ToolSpec, 'variants'>,
  variants: readonly CompiledVariant[],
  { queries, site }: ToolParts,
): Tool => {
  const input = inputOf(variants, required);
  const isSearch = name === 'search';
  const shape = isSearch ? searchShape(site) : undefined;
  return {
    name,
    title,
    description: descriptionOf(variants, note),
    input,
    output: outputOf(variants),
    ...(isSearch && { beside: { results: RESULTS } }),
    continues: variants.some(({ node }) => node.group !== 'meta' || 'continue' in node.module.parameters),
    run: async (args, call, position) => {
      checkNames(args, Object.keys(Object(input['properties'])), name);
      const missing = required.find((argument) => args[argument] === undefined);
      if (missing !== undefined) throw new ToolError(`${name} needs the argument ${missing}.`);
      const variant = variants.find((one) => isSelected(one, args));
      if (variant === undefined) {
        const values = variants.map(({ value }) => value).join(', ');
        throw new ToolError(`${name}: ${variants[0]?.selectedBy ?? ''} must be one of ${values}.`);
      }
      return queries.run(call, { ...parametersOf(variant, args, site), ...position }, shape);
    },
  };
};

/** A standard tool with those variants whose modules have handlers; `undefined` if none has. */
export const standardTool = (spec: ToolSpec, parts: ToolParts): Tool | undefined => {
  const variants = spec.variants.flatMap(({ module, ...variant }) => {
    const node = parts.modules.get(module);
    return node ? [compileVariant(variant, node, parts)] : [];
  });
  return variants.length === 0 ? undefined : toolOf({ ...spec, required: requiredOf(spec, variants) }, variants, parts);
};

/** If only a variant remains that an argument selects, the argument is required. */
const requiredOf = (
  { required = [], variants: all }: ToolSpec,
  variants: readonly CompiledVariant[],
): readonly string[] => {
  const [only] = variants;
  const isSelection = all.length > 1 && variants.length === 1 && only?.value === undefined;
  return isSelection && only?.selectedBy !== undefined ? [...required, only.selectedBy] : required;
};

/** A tool that takes all parameters of a module, under their names on the wire. */
export const moduleTool = (node: ModuleNode, parts: ToolParts): Tool => {
  const own = [...fieldsByName(node, parts).values()].filter(({ pattern }) => pattern === undefined);
  const { prefix, continueWith } = node.module;
  const cursors = new Set([`${prefix}continue`, ...(continueWith === undefined ? [] : [prefix + continueWith])]);
  const pages = node.group === 'prop' ? ['titles', 'pageids', 'revids', 'redirects'] : [];
  const names = [...pages, ...own.map(({ wireName }) => wireName)].filter((name) => !cursors.has(name));
  const required = own.filter((field) => field.required).map(({ wireName }) => wireName);
  const parameters = Object.fromEntries(names.map((name) => [name, name]));
  return toolOf(
    { name: `query_${node.name}`, title: node.name, required },
    [compileVariant({ parameters }, node, parts)],
    parts,
  );
};
