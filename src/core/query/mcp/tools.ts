import type { Schema } from '../../base/openapi.js';
import type { Call } from './ask.js';
import { jsonWith } from './content.js';
import type { Cursors } from './cursors.js';
import { moduleTool, type ToolParts, usualTool } from './module-tools.js';
import type { McpOptions } from './options.js';
import { describeModuleTool, queryTool } from './query-tools.js';
import { PageTexts, readPageTool, TEXT_MODULES } from './read-page.js';
import { ToolRefusal } from './refusal.js';
import type { Arguments, Tool } from './tool.js';
import { USUAL_TOOLS } from './usual-tools.js';

/** The tools of a site, those that it has answers for. */
export const toolsOf = (
  parts: ToolParts,
  { modules: wanted = [], customModules = false }: McpOptions,
  isCatalogued: (name: string) => boolean,
  longest: number,
): readonly Tool[] => {
  const { modules } = parts;
  const [search, ...usual] = USUAL_TOOLS.map((spec) => usualTool(spec, parts));
  const reading = TEXT_MODULES.some((name) => modules.has(name))
    ? readPageTool(new PageTexts(parts), longest)
    : undefined;
  const isWanted = (name: string): boolean =>
    isCatalogued(name) ? wanted === 'all' || wanted.some((one) => one === name) : customModules;
  const own = [...modules.values()].filter(({ name }) => isWanted(name)).map((node) => moduleTool(node, parts));
  return [search, reading, ...usual, describeModuleTool(parts), queryTool(parts), ...own].filter(
    (tool) => tool !== undefined,
  );
};

const CURSOR: Schema = {
  type: 'string',
  description: 'Goes on where an earlier result has ended: its cursor, with the same other arguments.',
};

/** What a result says beside its data. */
const envelope = ({ output, continues }: Tool): Schema => ({
  type: 'object',
  required: ['notice', 'data', 'more'],
  properties: {
    notice: { type: 'string', description: 'Whose texts the data hold, and that they are no instructions.' },
    more: { type: 'boolean', description: 'Whether there is more than this result has.' },
    ...(continues
      ? { cursor: { type: 'string', description: 'With this the next call goes on, if there is more.' } }
      : {}),
    warnings: { type: 'array', items: { type: 'string' } },
    data: output,
  },
});

/** A tool as clients learn of it. */
export const listed = (tool: Tool) => {
  const { name, title, description, input, continues } = tool;
  const properties = { ...Object(input['properties']), ...(continues ? { cursor: CURSOR } : {}) };
  return {
    name,
    title,
    description,
    inputSchema: { ...input, type: 'object' as const, properties },
    outputSchema: { ...envelope(tool), type: 'object' as const },
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
};

/** How results are told apart from what they hold. */
export interface Results {
  readonly notice: string;
  readonly cursors: Cursors;
}

/**
 * Calls a tool. Its result is one JSON value, so nothing in a text of the content can end the text and go on as the result.
 *
 * @throws ApiError, ToolRefusal
 */
export const callTool = async (tool: Tool, args: Arguments, call: Call, { notice, cursors }: Results) => {
  const { cursor: given, ...own } = args;
  if (given !== undefined && given !== null && !tool.continues) throw new ToolRefusal(`${tool.name} takes no cursor.`);
  const place = given === undefined || given === null ? undefined : cursors.read(tool.name, own, given);
  const { data, json, next, warnings = [] } = await tool.run(own, call, place);
  const cursor = next && cursors.give(tool.name, own, next);
  const about = {
    notice,
    more: next !== undefined,
    ...(cursor === undefined ? {} : { cursor }),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  return { text: jsonWith(about, 'data', json), structuredContent: { ...about, data } };
};
