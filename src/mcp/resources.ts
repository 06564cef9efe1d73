import { defined } from '../core/query/toolkit.js';
import type { Cursors } from './cursors.js';
import { RPC, RpcError, ToolError } from './errors.js';
import type { ToolParts } from './module-tools.js';
import { RESULT } from './options.js';
import { partOf } from './part.js';
import type { Call, Parameters } from './queries.js';
import { PageTexts, TEXT_MODULES } from './read-page.js';
import { visibleText } from './visible.js';

const START = 'page:///';
/** Longer than the URI of any title. */
const MAX_URI_LENGTH = 4_096;
const PAGE_SIZE = 100;
const COMPLETIONS = 20;

export const PAGE_TEMPLATE = {
  uriTemplate: `${START}{title}`,
  name: 'page',
  title: 'A page',
  description: 'The text of a page, by its title with its namespace.',
};

const uriOf = (title: string): string => START + encodeURIComponent(title);

const titleIn = (uri: string): string | undefined => {
  if (!uri.startsWith(START) || uri.length > MAX_URI_LENGTH) return undefined;
  try {
    return decodeURIComponent(uri.slice(START.length));
  } catch {
    return undefined; // The percent-encoding is not valid UTF-8.
  }
};

const titlesIn = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? list : []).flatMap((item: unknown) => {
    const { title } = Object(item) as { readonly title?: unknown };
    return typeof title === 'string' ? [title] : [];
  });

/** The pages as resources: the results of `resources/list`, `resources/read` and `completion/complete`. */
export class PageResources {
  readonly #parts: ToolParts;
  readonly #cursors: Cursors;
  readonly #texts: PageTexts;

  constructor(parts: ToolParts, cursors: Cursors) {
    this.#parts = parts;
    this.#cursors = cursors;
    this.#texts = new PageTexts(parts);
  }

  /** Whether the site has a module that returns texts. */
  get isAvailable(): boolean {
    return TEXT_MODULES.some((name) => this.#parts.modules.has(name));
  }

  /** The pages of the main namespace, by title. */
  async list(call: Call, cursor: string | undefined) {
    if (!this.#parts.modules.has('allpages')) return { resources: [] };
    const query: Parameters = { list: 'allpages', aplimit: PAGE_SIZE };
    const { data, next } = await this.#parts.queries.run(call, { ...query, ...this.#positionOf(cursor) });
    const nextCursor = next && this.#cursors.create('resources', {}, next);
    return {
      resources: titlesIn(data['allpages']).map((title) => ({ uri: uriOf(title), name: title, title })),
      ...defined({ nextCursor }),
    };
  }

  #positionOf(cursor: string | undefined): object {
    try {
      return cursor === undefined ? {} : this.#cursors.read('resources', {}, cursor);
    } catch (error) {
      throw error instanceof ToolError ? new RpcError(RPC.invalidParams, error.message) : error;
    }
  }

  /** The text of a page. If it is too long, a second entry refers to `read_page`. */
  async read(call: Call, uri: string) {
    const title = titleIn(uri);
    if (title === undefined || title.includes('\u001f'))
      throw new RpcError(
        RPC.resourceNotFound,
        `The resources of this server are pages: ${PAGE_TEMPLATE.uriTemplate}`,
        uri,
      );
    const { text, format } = await this.#page(call, title, uri);
    const part = partOf(text, 0, RESULT.maxBytes);
    const more = `These are the first ${part.length} of ${text.length} characters. The tool read_page returns all of them.`;
    return {
      contents: [
        { uri, mimeType: visibleText(format), text: visibleText(part) },
        ...(part.length < text.length ? [{ uri: `${uri}#more`, mimeType: 'text/plain', text: more }] : []),
      ],
    };
  }

  async #page(call: Call, title: string, uri: string) {
    try {
      return await this.#texts.read(call, { titles: title.includes('|') ? `\u001f${title}` : title });
    } catch (error) {
      throw error instanceof ToolError ? new RpcError(RPC.resourceNotFound, error.message, uri) : error;
    }
  }

  /** Titles that start with a text. */
  async complete(call: Call, start: string) {
    const query = this.#completionQuery(start);
    if (query === undefined) return { completion: { values: [] } };
    const { data, next } = await this.#parts.queries.run(call, query);
    return {
      completion: { values: [...titlesIn(data['prefixsearch'] ?? data['allpages'])], hasMore: next !== undefined },
    };
  }

  #completionQuery(start: string): Parameters | undefined {
    const { modules } = this.#parts;
    if (modules.has('prefixsearch') && start !== '')
      return { list: 'prefixsearch', pssearch: start, pslimit: COMPLETIONS };
    return modules.has('allpages') ? { list: 'allpages', apprefix: start, aplimit: COMPLETIONS } : undefined;
  }
}
