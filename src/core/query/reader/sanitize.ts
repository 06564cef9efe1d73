import { ApiError, apiError } from '../answer/api-error.js';

/** What sanitised HTML may contain, in the words of the package sanitize-html. */
interface SanitizeRules {
  readonly allowedTags: string[];
  /** By tag; `*` stands for all tags. */
  readonly allowedAttributes: Record<string, string[]>;
  readonly allowedClasses: Record<string, string[]>;
  readonly allowedSchemes: string[];
  readonly allowedSchemesByTag: Record<string, string[]>;
  /** Tags that are dropped with their content. */
  readonly nonTextTags: string[];
  /** Called for each tag that begins, and may throw. */
  readonly onOpenTag: () => void;
  readonly onCloseTag: () => void;
}

/** Removes harmful elements and attributes from HTML: the function of the package sanitize-html. */
export type Sanitize = (html: string, rules: SanitizeRules) => string;

/** Bounds of the HTML. Parsing takes time proportional to its tags, attributes and references, times their depth, and blocks the event loop. */
const MAX_LENGTH = 1024 * 1024;
const MAX_SIGNS = 60_000;
const MAX_DEPTH = 250;

/** The number of tags, attributes and character references, or more: of the signs that begin them, and of those that are escaped. */
const countSigns = (html: string): number => {
  let [begins, ends, others] = [0, 0, 0];
  for (let at = 0; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code === 0x3c) begins += 1;
    else if (code === 0x3e) ends += 1;
    else if (code === 0x3d || code === 0x26) others += 1;
  }
  return Math.max(begins, ends) + others;
};

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Elements of text only, which cannot run scripts, submit, embed, or change the surrounding page. */
const RULES: Omit<SanitizeRules, 'onOpenTag' | 'onCloseTag'> = {
  allowedTags: [
    ...HEADINGS,
    ...['p', 'br', 'hr', 'div', 'span', 'blockquote', 'pre', 'code', 'figure', 'figcaption', 'details', 'summary'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
    ...['a', 'img', 'abbr', 'b', 'bdi', 'bdo', 'cite', 'del', 'dfn', 'em', 'i', 'ins', 'kbd', 'mark', 'q', 's', 'samp'],
    ...['small', 'strong', 'sub', 'sup', 'time', 'u', 'var', 'wbr', 'ruby', 'rb', 'rt', 'rp'],
  ],
  allowedAttributes: {
    '*': ['lang', 'dir', 'title'],
    a: ['href'],
    img: ['src', 'alt', 'width', 'height'],
    ol: ['start', 'type', 'reversed'],
    li: ['value'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
    time: ['datetime'],
    // Targets of links to sections.
    ...Object.fromEntries(HEADINGS.map((tag) => [tag, ['id']])),
  },
  // For syntax highlighting.
  allowedClasses: { code: ['language-*'], pre: ['language-*'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  // Dropped with their content. Other elements that are not allowed leave their text.
  nonTextTags: ['script', 'style', 'template', 'textarea', 'select', 'option', 'iframe', 'xmp', 'svg', 'math', 'title'],
};

/**
 * HTML with elements of text only.
 *
 * @throws ApiError `htmltoolarge`.
 */
export const sanitized = (html: string, sanitize: Sanitize): string => {
  if (html.length > MAX_LENGTH || countSigns(html) > MAX_SIGNS) throw tooLarge();
  let depth = 0;
  return sanitize(html, {
    ...RULES,
    onOpenTag: () => {
      depth += 1;
      if (depth > MAX_DEPTH) throw tooLarge();
    },
    onCloseTag: () => {
      depth -= 1;
    },
  });
};

const tooLarge = (): ApiError => apiError('htmltoolarge', { num: MAX_LENGTH }, { num: MAX_SIGNS }, { num: MAX_DEPTH });
