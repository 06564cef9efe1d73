import { checkNames, wireText } from './arguments.js';
import { ToolError } from './errors.js';
import type { ToolParts } from './module-tools.js';
import { MIN_PART_BYTES, RESULT } from './options.js';
import { partOf } from './part.js';
import type { Call, Parameters, Queries } from './queries.js';
import { closedObject, type JsonSchema } from './schemas.js';
import type { Arguments, Tool } from './tool.js';
import { visible, visibleText } from './visible.js';

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

  /** Whether single sections can be read. */
  get hasSections(): boolean {
    return this.#hasRevisions;
  }

  /**
   * The text of a page.
   *
   * @param which - `titles`, `pageids` or `revids`.
   * @param section - Its number, for a part of the text.
   * @throws ToolError if the text does not exist or is not visible to the caller.
   */
  async read(call: Call, which: Parameters, section?: number): Promise<PageText> {
    const part: Parameters = section === undefined ? {} : { rvsection: section };
    const module = this.#hasRevisions ? { ...REVISION, ...part } : EXTRACT;
    const redirects: Parameters = 'revids' in which ? {} : { redirects: '1' };
    const { data } = await this.#queries.runUnlimited(call, { ...module, ...redirects, ...which });
    const page = firstOf(data['pages']);
    const found = this.#hasRevisions ? textOfRevision(page) : textOfExtract(page);
    if (found !== undefined) return found;
    if (section !== undefined && objectOf(objectOf(firstOf(page['revisions'])['slots'])['main'])['nosuchsection'])
      throw new ToolError(`The page has no section ${section}. Without section, read_page returns the whole page.`);
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

/** The part of a text that a call returns, and where the next one begins. */
export const partAt = ({ text, page }: PageText, position: object | undefined, maxBytes: number = RESULT.maxBytes) => {
  const from = position !== undefined && isPosition(position) ? position.from : 0;
  const part = partOf(text, from, maxBytes);
  const end = from + part.length;
  const shown = visibleText(part);
  const { revid } = page;
  return {
    facts: { text: shown, from, length: text.length, bytes: Buffer.byteLength(shown) },
    next: end < text.length ? { from: end, ...(typeof revid === 'number' ? { revid } : {}) } : undefined,
  };
};

/** The revision that a text continues in, if there is one. */
export const revisionOf = (position: object | undefined): Parameters | undefined =>
  position !== undefined && isPosition(position) && position.revid !== undefined
    ? { revids: position.revid }
    : undefined;

const whichPage = (args: Arguments): Parameters => {
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

/** A whole number of an argument, as a number or a text. */
const numberIn = (args: Arguments, name: string, least: number, most: number): number | undefined => {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'number' ? String(value) : value;
  const number = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new ToolError(`The argument ${name} of read_page must be a whole number ${range}.`);
};

const TEXT: JsonSchema = { type: 'string' };
const NUMBER: JsonSchema = { type: 'integer' };

/** The members of a result about the part of the text in it. */
export const PART_PROPERTIES = {
  from: { ...NUMBER, description: 'The start of this part in the whole text, in characters.' },
  length: { ...NUMBER, description: 'The length of the whole text, in characters.' },
  bytes: { ...NUMBER, description: 'The size of this part, in bytes of UTF-8.' },
} as const;

const inputOf = (hasSections: boolean): JsonSchema =>
  closedObject({
    title: { type: 'string', description: 'The title of the page, with its namespace.' },
    page_id: { type: 'integer', description: 'The id of the page, instead of its title.' },
    ...(hasSections && {
      section: {
        type: 'integer',
        minimum: 0,
        description: 'Only this section with its subsections, by its number; 0 is the text before the first heading.',
      },
    }),
    max_bytes: {
      type: 'integer',
      minimum: MIN_PART_BYTES,
      maximum: RESULT.maxBytes,
      default: RESULT.maxBytes,
      description: 'The largest part of the text to return, in bytes of UTF-8.',
    },
  });

/** The tool that returns the text of a page, in parts if it is long. */
export const readPageTool = (texts: PageTexts): Tool => ({
  name: 'read_page',
  title: 'Read a page',
  description:
    'Returns the text of a page as its authors wrote it, by its title or id. Follows redirects. Long texts are returned in parts.',
  input: inputOf(texts.hasSections),
  output: {
    type: 'object',
    required: ['title', 'text', 'from', 'length', 'bytes'],
    properties: {
      title: TEXT,
      pageid: NUMBER,
      ns: NUMBER,
      revid: NUMBER,
      timestamp: TEXT,
      contentmodel: TEXT,
      format: { ...TEXT, description: 'The media type of the text.' },
      text: { ...TEXT, description: 'The text, or a part of it.' },
      ...PART_PROPERTIES,
    },
  },
  continues: true,
  run: async (args, call, position) => {
    const sections = texts.hasSections ? ['section'] : [];
    checkNames(args, [...Object.keys(TYPES), ...sections, 'max_bytes'], 'read_page');
    checkTypes(args);
    const maxBytes = numberIn(args, 'max_bytes', MIN_PART_BYTES, RESULT.maxBytes);
    const section = numberIn(args, 'section', 0, Infinity);
    const found = await texts.read(call, revisionOf(position) ?? whichPage(args), section);
    const { facts, next } = partAt(found, position, maxBytes);
    return { data: visible({ ...found.page, format: found.format, ...facts }), next };
  },
});
