import type { Cursors } from './cursors.js';
import { ToolError } from './errors.js';
import { moduleTool, standardTool, type ToolParts } from './module-tools.js';
import type { McpOptions } from './options.js';
import type { Call } from './queries.js';
import { describeModuleTool, queryTool } from './query-tools.js';
import { PageTexts, readPageTool, TEXT_MODULES } from './read-page.js';
import type { JsonSchema } from './schemas.js';
import { STANDARD_TOOLS } from './standard-tools.js';
import type { Arguments, Tool } from './tool.js';

/** The tools of a site, as far as its modules have handlers. */
export const toolsOf = (parts: ToolParts, { modules: wanted = [] }: McpOptions): readonly Tool[] => {
  const { modules } = parts;
  const [search, ...others] = STANDARD_TOOLS.map((spec) => standardTool(spec, parts));
  const readPage = TEXT_MODULES.some((name) => modules.has(name)) ? readPageTool(new PageTexts(parts)) : undefined;
  const additional = [...modules.values()]
    .filter(({ name }) => wanted === 'all' || wanted.includes(name))
    .map((node) => moduleTool(node, parts));
  return [search, readPage, ...others, describeModuleTool(parts), queryTool(parts), ...additional].filter(
    (tool) => tool !== undefined,
  );
};

const CURSOR: JsonSchema = {
  type: 'string',
  description: 'The cursor of an earlier result, to get the next part. The other arguments must be the same.',
};

/** The schema of a complete result. */
const resultSchema = ({ output, continues }: Tool): JsonSchema => ({
  type: 'object',
  required: ['notice', 'data', 'more'],
  properties: {
    notice: { type: 'string', description: 'Who wrote the texts in data, and that they are not instructions.' },
    more: { type: 'boolean', description: 'Whether there is more than this result contains.' },
    ...(continues
      ? { cursor: { type: 'string', description: 'An argument for the call that returns the next part.' } }
      : {}),
    warnings: { type: 'array', items: { type: 'string' } },
    data: output,
  },
});

/** A tool as listed by `tools/list`. */
export const listed = (tool: Tool) => {
  const { name, title, description, input, continues } = tool;
  const properties = { ...Object(input['properties']), ...(continues ? { cursor: CURSOR } : {}) };
  return {
    name,
    title,
    description,
    inputSchema: { ...input, type: 'object' as const, properties },
    outputSchema: { ...resultSchema(tool), type: 'object' as const },
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
};

/** Models that fill in every argument write these for what they leave out. The word is left alone where an argument is any text. */
const isAbsent = (value: unknown, schema: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (value === 'null' && (Object(schema).type !== 'string' || Object(schema).enum !== undefined));

const present = (args: Arguments, { input }: Tool): Arguments => {
  const schemas = Object(input['properties']);
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => !isAbsent(value, name === 'cursor' ? undefined : schemas[name])),
  );
};

/**
 * Calls a tool. The result is a single JSON value, so that no text of the content can end the result or add to it.
 *
 * @throws ApiError, ToolError
 */
export const callTool = async (
  tool: Tool,
  args: Arguments,
  call: Call,
  { notice, cursors }: { readonly notice: string; readonly cursors: Cursors },
) => {
  const { cursor: given, ...others } = present(args, tool);
  const isFirst = given === undefined;
  if (!isFirst && !tool.continues) throw new ToolError(`${tool.name} takes no cursor.`);
  const position = isFirst ? undefined : cursors.read(tool.name, others, given);
  const { data, next, warnings = [] } = await tool.run(others, call, position);
  const cursor = next && cursors.create(tool.name, others, next);
  return {
    notice,
    more: next !== undefined,
    ...(cursor === undefined ? {} : { cursor }),
    ...(warnings.length > 0 ? { warnings } : {}),
    data,
  };
};
