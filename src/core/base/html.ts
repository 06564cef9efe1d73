import { replacing } from './replacing.js';

const IN_CONTENT = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeContent = replacing(IN_CONTENT);
const escape = replacing({ ...IN_CONTENT, '"': '&quot;', "'": '&#39;' });

/** HTML in which all interpolated text is escaped. Only the tag {@link html} creates it, so it never contains markup from a request. */
export class Html {
  readonly #source: string;

  private constructor(source: string) {
    this.#source = source;
  }

  /** The HTML as text. */
  get source(): string {
    return this.#source;
  }

  /** For markup in this package's source code, and for documents made by the application. */
  static trusted(source: string): Html {
    return new Html(source);
  }

  /** Text between two tags, never in an attribute: quotation marks are not escaped. */
  static content(text: string): Html {
    return new Html(escapeContent(text));
  }
}

/** Values in a template: text and numbers are escaped, HTML is inserted unchanged, lists are inserted item by item. */
export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

const render = (part: HtmlPart): string => {
  if (part instanceof Html) return part.source;
  if (typeof part === 'string') return escape(part);
  if (typeof part === 'number') return String(part);
  return part === undefined ? '' : part.map(render).join('');
};

/**
 * A template tag that escapes all interpolated text, for element content and quoted attributes alike; the output of other templates
 * is inserted unchanged.
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html => {
  let source = '';
  // Not joined: that would copy a long text once more.
  for (const [index, text] of strings.entries()) source += text + render(parts[index]);
  return Html.trusted(source);
};

/** A complete page. */
export interface HtmlDocument {
  readonly title: string;
  /** Of the page, as BCP 47 writes it; `en` if absent. */
  readonly lang?: string;
  /** The direction in which it is read; left to right if absent. */
  readonly dir?: 'ltr' | 'rtl';
  /** The style sheet; a content security policy names it by its hash. */
  readonly style: string;
  /** Instructions for search engines; absent on pages they cannot reach. */
  readonly robots?: string;
  /** Further elements of the head. */
  readonly head?: Html | undefined;
  /** Attributes of the body, each with a leading space. */
  readonly attributes?: Html | undefined;
  readonly body: Html;
}

/** The one frame around every page. */
export const htmlDocument = ({
  title,
  lang = 'en',
  dir = 'ltr',
  style,
  robots,
  head,
  attributes,
  body,
}: HtmlDocument): Html => html`<!DOCTYPE html>
<html lang="${lang}"${dir === 'rtl' ? html` dir="rtl"` : undefined}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${robots === undefined ? undefined : html`<meta name="robots" content="${robots}">\n`}${head}<title>${title}</title>
<style>${Html.trusted(style)}</style>
</head>
<body${attributes}>
${body}
</body>
</html>
`;
