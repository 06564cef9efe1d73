import type { Schema } from '../../base/openapi.js';
import { checkNames, wireText } from './arguments.js';
import type { Call, Parameters, Queries } from './ask.js';
import { beginningOf, visible } from './content.js';
import type { ToolParts } from './module-tools.js';
import { ToolRefusal } from './refusal.js';
import { closedObject } from './schemas.js';
import type { Arguments, Tool } from './tool.js';

/** A page with its whole text, as it was written. */
export interface PageText {
  readonly page: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Such as `text/x-wiki`. */
  readonly format: string;
}

/** Which modules a text can be had from. */
export const TEXT_MODULES = ['revisions', 'extracts'] as const;

const REVISION = { prop: 'revisions', rvprop: 'ids|timestamp|content', rvslots: 'main' } as const;
const EXTRACT = { prop: 'extracts', explaintext: '1' } as const;

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
const firstOf = (value: unknown): Readonly<Record<string, unknown>> =>
  objectOf(Array.isArray(value) ? value[0] : undefined);

const revisionText = ({ revisions, ...page }: Readonly<Record<string, unknown>>): PageText | undefined => {
  const { slots, ...revision } = firstOf(revisions);
  const { content, contentformat, contentmodel } = objectOf(objectOf(slots)['main']);
  if (typeof content !== 'string') return undefined;
  const format = typeof contentformat === 'string' ? contentformat : 'text/plain';
  return { page: { ...page, ...revision, contentmodel }, text: content, format };
};

const extractText = ({ extract, ...page }: Readonly<Record<string, unknown>>): PageText | undefined =>
  typeof extract === 'string' ? { page, text: extract, format: 'text/plain' } : undefined;

/** Reads the texts of pages, from whichever module the site has. */
export class PageTexts {
  readonly #queries: Queries;
  readonly #hasRevisions: boolean;

  constructor({ queries, modules }: ToolParts) {
    this.#queries = queries;
    this.#hasRevisions = modules.has('revisions');
  }

  /**
   * The text of one page.
   *
   * @param which - `titles`, `pageids` or `revids`.
   * @throws ToolRefusal when there is none that the caller may see.
   */
  async read(call: Call, which: Parameters): Promise<PageText> {
    const module = this.#hasRevisions ? REVISION : EXTRACT;
    const redirects: Parameters = 'revids' in which ? {} : { redirects: '1' };
    const { data } = await this.#queries.raw(call, { ...module, ...redirects, ...which });
    const page = firstOf(data['pages']);
    const found = this.#hasRevisions ? revisionText(page) : extractText(page);
    if (found !== undefined) return found;
    const isThere = page['title'] !== undefined && page['missing'] !== true && page['invalid'] !== true;
    throw new ToolRefusal(
      isThere
        ? 'This page has no text that you may read.'
        : 'There is no such page, or you may not see it. Titles come from search and list_pages.',
    );
  }
}

/** Where a text goes on. Its revision is named, so that a change in between mixes nothing. */
interface Place {
  readonly from: number;
  readonly revid?: number;
}

const isPlace = (place: object): place is Place =>
  'from' in place && typeof place.from === 'number' && (!('revid' in place) || typeof place.revid === 'number');

const whichPage = (args: Arguments, place: Place | undefined): Parameters => {
  if (place?.revid !== undefined) return { revids: place.revid };
  const titles = wireText(args['title'], 'title', true);
  const pageids = wireText(args['page_id'], 'page_id', true);
  if ((titles === undefined) === (pageids === undefined)) throw new ToolRefusal('read_page needs title or page_id.');
  return titles === undefined ? { pageids: pageids ?? '' } : { titles };
};

const ONE = { title: ['string'], page_id: ['string', 'number'] } as const;

const checkOne = (args: Arguments): void => {
  for (const [name, types] of Object.entries(ONE)) {
    const value = args[name];
    if (value !== undefined && value !== null && !types.some((type) => typeof value === type))
      throw new ToolRefusal(`The argument ${name} of read_page is one page, as ${types.join(' or ')}.`);
  }
};

const TEXT: Schema = { type: 'string' };
const NUMBER: Schema = { type: 'integer' };

/** A page with its text, in pieces where it is long. */
export const readPageTool = (texts: PageTexts, longest: number): Tool => ({
  name: 'read_page',
  title: 'Read a page',
  description:
    'Gives the text of a page as its authors wrote it, by its title or its id. A redirect is followed. A long text comes in pieces.',
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
      text: { ...TEXT, description: 'The text, or a piece of it.' },
      from: { ...NUMBER, description: 'Where this piece begins in the whole text, in characters.' },
      length: { ...NUMBER, description: 'The length of the whole text, in characters.' },
    },
  },
  continues: true,
  run: async (args, call, given) => {
    checkNames(args, Object.keys(ONE), 'read_page');
    checkOne(args);
    const place = given !== undefined && isPlace(given) ? given : undefined;
    const { page, text, format } = await texts.read(call, whichPage(args, place));
    const from = place?.from ?? 0;
    const piece = beginningOf(text.slice(from), longest);
    const end = from + piece.length;
    const { revid } = page;
    return {
      ...visible({ ...page, format, text: piece, from, length: text.length }),
      next: end < text.length ? { from: end, ...(typeof revid === 'number' ? { revid } : {}) } : undefined,
    };
  },
});
