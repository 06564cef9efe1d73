import { checkNames, wireText } from './arguments.js';
import { ToolError } from './errors.js';
import type { ToolParts } from './module-tools.js';
import { RESULT } from './options.js';
import type { Call, Parameters, Queries } from './queries.js';
import { closedObject, type JsonSchema } from './schemas.js';
import type { Arguments, Tool } from './tool.js';
import { beginningOf, visible } from './visible.js';

/** A page with its whole text, as written. */
export interface PageText {
  readonly page: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The media type of the text, such as `text/x-wiki`. */
  readonly format: string;
}

/** The modules that return texts of pages, the best first. */
export const TEXT_MODULES = ['revisions', 'extracts'] as const;

const REVISION = { prop: 'revisions', rvprop: 'ids|timestamp|content', rvslots: 'main' } as const;
const EXTRACT = { prop: 'extracts', explaintext: '1' } as const;

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
const firstOf = (value: unknown): Readonly<Record<string, unknown>> =>
  objectOf(Array.isArray(value) ? value[0] : undefined);

const textOfRevision = ({ revisions, ...page }: Readonly<Record<string, unknown>>): PageText | undefined => {
  const { slots, ...revision } = firstOf(revisions);
  const { content, contentformat, contentmodel } = objectOf(objectOf(slots)['main']);
  if (typeof content !== 'string') return undefined;
  const format = typeof contentformat === 'string' ? contentformat : 'text/plain';
  return { page: { ...page, ...revision, contentmodel }, text: content, format };
};

const textOfExtract = ({ extract, ...page }: Readonly<Record<string, unknown>>): PageText | undefined =>
  typeof extract === 'string' ? { page, text: extract, format: 'text/plain' } : undefined;

/** Reads the texts of pages from the first of {@link TEXT_MODULES} that has a handler. */
export class PageTexts {
  readonly #queries: Queries;
  readonly #hasRevisions: boolean;

  constructor({ queries, modules }: ToolParts) {
    this.#queries = queries;
    this.#hasRevisions = modules.has('revisions');
  }

  /**
   * The text of a page.
   *
   * @param which - `titles`, `pageids` or `revids`.
   * @throws ToolError if the text does not exist or is not visible to the caller.
   */
  async read(call: Call, which: Parameters): Promise<PageText> {
    const module = this.#hasRevisions ? REVISION : EXTRACT;
    const redirects: Parameters = 'revids' in which ? {} : { redirects: '1' };
    const { data } = await this.#queries.runUnlimited(call, { ...module, ...redirects, ...which });
    const page = firstOf(data['pages']);
    const found = this.#hasRevisions ? textOfRevision(page) : textOfExtract(page);
    if (found !== undefined) return found;
    const exists = page['title'] !== undefined && page['missing'] !== true && page['invalid'] !== true;
    throw new ToolError(
      exists
        ? 'The page has no text, or its text is not visible to you.'
        : 'The page does not exist, or is not visible to you. Use search or list_pages to find titles.',
    );
  }
}

/** Where a text continues. Names the revision, so that all parts are from the same one. */
interface Position {
  readonly from: number;
  readonly revid?: number;
}

const isPosition = (position: object): position is Position =>
  'from' in position &&
  typeof position.from === 'number' &&
  (!('revid' in position) || typeof position.revid === 'number');

const whichPage = (args: Arguments, position: Position | undefined): Parameters => {
  if (position?.revid !== undefined) return { revids: position.revid };
  const titles = wireText(args['title'], 'title', true);
  const pageids = wireText(args['page_id'], 'page_id', true);
  if ((titles === undefined) === (pageids === undefined)) throw new ToolError('read_page needs title or page_id.');
  return titles === undefined ? { pageids: pageids ?? '' } : { titles };
};

const TYPES = { title: ['string'], page_id: ['string', 'number'] } as const;

const checkTypes = (args: Arguments): void => {
  for (const [name, types] of Object.entries(TYPES)) {
    const value = args[name];
    if (value !== undefined && value !== null && !types.some((type) => typeof value === type))
      throw new ToolError(`The argument ${name} of read_page must be a ${types.join(' or a ')}, for one page.`);
  }
};

const TEXT: JsonSchema = { type: 'string' };
const NUMBER: JsonSchema = { type: 'integer' };

/** The tool that returns the text of a page, in parts if it is long. */
export const readPageTool = (texts: PageTexts): Tool => ({
  name: 'read_page',
  title: 'Read a page',
  description:
    'Returns the text of a page as its authors wrote it, by its title or id. Follows redirects. Long texts are returned in parts.',
  input: closedObject({
    title: { type: 'string', description: 'The title of the page, with its namespace.' },
    page_id: { type: 'integer', description: 'The id of the page, instead of its title.' },
  }),
  output: {
    type: 'object',
    required: ['title', 'text', 'from', 'length'],
    properties: {
      title: TEXT,
      pageid: NUMBER,
      ns: NUMBER,
      revid: NUMBER,
      timestamp: TEXT,
      contentmodel: TEXT,
      format: { ...TEXT, description: 'The media type of the text.' },
      text: { ...TEXT, description: 'The text, or a part of it.' },
      from: { ...NUMBER, description: 'The start of this part in the whole text, in characters.' },
      length: { ...NUMBER, description: 'The length of the whole text, in characters.' },
    },
  },
  continues: true,
  run: async (args, call, given) => {
    checkNames(args, Object.keys(TYPES), 'read_page');
    checkTypes(args);
    const position = given !== undefined && isPosition(given) ? given : undefined;
    const { page, text, format } = await texts.read(call, whichPage(args, position));
    const from = position?.from ?? 0;
    const part = beginningOf(text.slice(from), RESULT.maxLength);
    const end = from + part.length;
    const { revid } = page;
    return {
      data: visible({ ...page, format, text: part, from, length: text.length }),
      next: end < text.length ? { from: end, ...(typeof revid === 'number' ? { revid } : {}) } : undefined,
    };
  },
});
