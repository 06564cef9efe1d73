import type { Site } from '../core/query/index.js';
import { pageAddress } from '../core/query/toolkit.js';
import { checkNames } from './arguments.js';
import { ToolError } from './errors.js';
import type { Call, Parameters } from './queries.js';
import { PART_PROPERTIES, partAt, type PageText, type PageTexts, revisionOf } from './read-page.js';
import { closedObject, type JsonSchema } from './schemas.js';
import type { Tool } from './tool.js';
import { visible } from './visible.js';

const TEXT: JsonSchema = { type: 'string' };

/** A page by its id or, if there is none, by its title: a title may be a number. */
const pageNamed = async (texts: PageTexts, call: Call, id: string): Promise<PageText> => {
  const byTitle: Parameters = { titles: id.includes('|') ? `\u001f${id}` : id };
  if (!/^\d{1,15}$/.test(id)) return texts.read(call, byTitle);
  try {
    return await texts.read(call, { pageids: id });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return texts.read(call, byTitle);
  }
};

/** The tool that returns a page that `search` has found. */
export const fetchTool = (texts: PageTexts, site: Site): Tool => ({
  name: 'fetch',
  title: 'Fetch a page',
  description:
    'Returns the text of a page by the id that search returned, or by its title. Like read_page, for clients that expect search and fetch.',
  input: closedObject({ id: { type: 'string', description: 'The id of a result of search, or a title.' } }, ['id']),
  output: {
    type: 'object',
    required: ['id', 'title', 'text', 'url', 'metadata'],
    properties: {
      ...{ id: TEXT, title: TEXT, text: { ...TEXT, description: 'The text, or a part of it.' }, url: TEXT },
      metadata: {
        type: 'object',
        properties: {
          ...{ revid: { type: 'integer' }, timestamp: TEXT, contentmodel: TEXT, format: TEXT, cursor: TEXT },
          ...PART_PROPERTIES,
        },
      },
    },
  },
  isBare: true,
  continues: true,
  run: async (args, call, position) => {
    checkNames(args, ['id'], 'fetch');
    const { id } = args;
    if (typeof id !== 'string' && typeof id !== 'number') throw new ToolError('fetch needs the argument id, a text.');
    const revision = revisionOf(position);
    const found = await (revision ? texts.read(call, revision) : pageNamed(texts, call, String(id)));
    const { facts, next } = partAt(found, position);
    const { pageid, title, revid, timestamp, contentmodel } = found.page;
    const { text, ...part } = facts;
    const metadata = { revid, timestamp, contentmodel, format: found.format, ...part };
    const url = pageAddress(String(title), site);
    return { data: visible({ id: String(pageid), title, text, url, metadata }), next };
  },
});
