import type { Call, Parameters } from './ask.js';
import { beginningOf, visibleText } from './content.js';
import type { Cursors } from './cursors.js';
import type { ToolParts } from './module-tools.js';
import { PageTexts, TEXT_MODULES } from './read-page.js';
import { RPC, RpcError, ToolRefusal } from './refusal.js';

const START = 'page:///';
/** Longer than any title, in whatever way it is written. */
const LONGEST_URI = 4_096;
const PER_PAGE = 100;
const COMPLETIONS = 20;

export const PAGE_TEMPLATE = {
  uriTemplate: `${START}{title}`,
  name: 'page',
  title: 'A page',
  description: 'The text of a page, by its title with its namespace.',
};

const uriOf = (title: string): string => START + encodeURIComponent(title);

const titleIn = (uri: string): string | undefined => {
  if (!uri.startsWith(START) || uri.length > LONGEST_URI) return undefined;
  try {
    return decodeURIComponent(uri.slice(START.length));
  } catch {
    return undefined; // No UTF-8 behind the percent signs.
  }
};

const titlesIn = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? list : []).flatMap((item: unknown) => {
    const { title } = Object(item) as { readonly title?: unknown };
    return typeof title === 'string' ? [title] : [];
  });

/** Pages as resources: what `resources/list`, `resources/read` and `completion/complete` give. */
export class PageResources {
  readonly #parts: ToolParts;
  readonly #cursors: Cursors;
  readonly #texts: PageTexts;
  readonly #longest: number;

  constructor(parts: ToolParts, cursors: Cursors, longest: number) {
    this.#parts = parts;
    this.#cursors = cursors;
    this.#texts = new PageTexts(parts);
    this.#longest = longest;
  }

  /** Whether texts can be read here at all. */
  get isThere(): boolean {
    return TEXT_MODULES.some((name) => this.#parts.modules.has(name));
  }

  /** Pages of the main namespace by title. */
  async list(call: Call, cursor: string | undefined) {
    if (!this.#parts.modules.has('allpages')) return { resources: [] };
    const query: Parameters = { list: 'allpages', aplimit: PER_PAGE };
    const { data, next } = await this.#parts.queries.ask(call, { ...query, ...this.#placeOf(cursor) });
    const nextCursor = next && this.#cursors.give('resources', {}, next);
    return {
      resources: titlesIn(data['allpages']).map((title) => ({ uri: uriOf(title), name: title, title })),
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  }

  #placeOf(cursor: string | undefined): object {
    try {
      return cursor === undefined ? {} : this.#cursors.read('resources', {}, cursor);
    } catch (error) {
      throw error instanceof ToolRefusal ? new RpcError(RPC.invalidParams, error.message) : error;
    }
  }

  /** The text of a page. What is too long ends early, and says so outside of the text. */
  async read(call: Call, uri: string) {
    const title = titleIn(uri);
    if (title === undefined || title.includes('\u001f'))
      throw new RpcError(RPC.invalidParams, `Resources of this server are pages: ${PAGE_TEMPLATE.uriTemplate}`);
    const { text, format } = await this.#page(call, title);
    const piece = beginningOf(text, this.#longest);
    const rest = `The page has ${text.length} characters, and these are the first ${piece.length}. The tool read_page has all of them.`;
    return {
      contents: [
        { uri, mimeType: visibleText(format), text: visibleText(piece) },
        ...(piece.length < text.length ? [{ uri: `${uri}#more`, mimeType: 'text/plain', text: rest }] : []),
      ],
    };
  }

  async #page(call: Call, title: string) {
    try {
      return await this.#texts.read(call, { titles: title.includes('|') ? `\u001f${title}` : title });
    } catch (error) {
      throw error instanceof ToolRefusal ? new RpcError(RPC.resourceNotFound, error.message) : error;
    }
  }

  /** Titles that begin with the entered text. */
  async complete(call: Call, start: string) {
    const query = this.#completion(start);
    if (query === undefined) return { completion: { values: [] } };
    const { data, next } = await this.#parts.queries.ask(call, query);
    return {
      completion: { values: [...titlesIn(data['prefixsearch'] ?? data['allpages'])], hasMore: next !== undefined },
    };
  }

  #completion(start: string): Parameters | undefined {
    const { modules } = this.#parts;
    if (modules.has('prefixsearch') && start !== '')
      return { list: 'prefixsearch', pssearch: start, pslimit: COMPLETIONS };
    return modules.has('allpages') ? { list: 'allpages', apprefix: start, aplimit: COMPLETIONS } : undefined;
  }
}
