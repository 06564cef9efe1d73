import { isMissing } from '../../core/base/missing-package.js';
import { ApiError } from '../../core/query/index.js';
import { mediaType } from '../media-types.js';

type MarkdownIt = InstanceType<(typeof import('markdown-it'))['default']>;

/** The packages that parse Markdown and front matter. */
export interface Peers {
  readonly markdown: MarkdownIt;
  /** Every scalar is a text as it is written; only `~`, `null` and nothing are `null`. JSON is YAML too. */
  readonly yaml: { load(source: string): unknown };
}

/**
 * The longest text that requests parse, in characters, and the most places at which a rule of Markdown is tried. Both take
 * time, and so do addresses and cells of tables, in which few rules are tried: these are counted before.
 */
const MAX_LENGTH = 250_000;
const MAX_STEPS = 40_000;
const MAX_ADDRESSES = 5_000;
const MAX_CELLS = 20_000;

/**
 * What the parser counts while it parses a text for a request. A call of the parser cannot be interrupted otherwise.
 *
 * @throws ApiError `markuptoolarge` for a text that is too long, or has too many addresses or cells.
 */
export const bounded = (text: string): { steps: number } => {
  if (hasManyAddresses(text)) throw tooLarge();
  return boundedBlocks(text);
};

/** The same for paragraphs, tables and headings alone, in which no addresses are looked for. */
export const boundedBlocks = (text: string): { steps: number } => {
  if (text.length > MAX_LENGTH || hasManyCells(text)) throw tooLarge();
  return { steps: MAX_STEPS };
};

const hasManyAddresses = (text: string): boolean => {
  let count = 0;
  for (let at = text.indexOf('://'); at >= 0 && count <= MAX_ADDRESSES; at = text.indexOf('://', at + 3)) count += 1;
  return count > MAX_ADDRESSES;
};

/** A table ends at an empty line, and each of its rows gets as many cells as the widest has. */
const hasManyCells = (text: string): boolean => {
  if (!text.includes('|')) return false;
  let [cells, rows, widest] = [0, 0, 0];
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.trim() === '') [rows, widest] = [0, 0];
    else {
      const width = Math.max(widest, line.split('|').length - 1);
      cells += width * (rows + 1) - widest * rows;
      [rows, widest] = [rows + 1, width];
    }
    if (cells > MAX_CELLS) return true;
  }
  return false;
};

const tooLarge = (): ApiError =>
  new ApiError(
    'markuptoolarge',
    'This page is too long to be parsed, or it has too much markup. Request its text with "prop=revisions".',
  );

/** Counts a step. Without a number to count down, any number is allowed. */
const step = ({ env }: { readonly env: object }): false => {
  const counted: { steps?: number } = env;
  if (counted.steps !== undefined && (counted.steps -= 1) < 0) throw tooLarge();
  return false;
};

/** A package that parses Markdown is not installed. The message says what to install. */
export class NoParser extends Error {
  /** Always `NoParser`. */
  override readonly name = 'NoParser';
}

/** @throws NoParser if one of the packages is not installed. */
export const loadPeers = async (): Promise<Peers> => {
  try {
    const [{ default: Markdown }, yaml] = await Promise.all([import('markdown-it'), import('js-yaml')]);
    const schema = yaml.FAILSAFE_SCHEMA.withTags(yaml.nullCoreTag);
    // Without `html`, tags are escaped; URLs such as `javascript:` do not become links.
    // Each level of nesting lets an open bracket be read once more: 20,000 characters of `![` take three times as long at 100.
    const markdown = new Markdown({ html: false, linkify: true, maxNesting: 40 });
    // Bare words such as `readme.md` are not links.
    markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
    markdown.inline.ruler.before('text', 'steps', step);
    markdown.block.ruler.before('table', 'steps', step, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
    markdown.block.ruler.before('reference', 'footnote', (state, start, end, silent) => {
      const isNote = state.src.startsWith('[^', (state.bMarks[start] ?? 0) + (state.tShift[start] ?? 0));
      // A footnote is text, and its definition no reference to a URL. The last rule is that of paragraphs.
      return isNote && !silent && (markdown.block.ruler.getRules('').at(-1)?.(state, start, end, silent) ?? false);
    });
    const load = (source: string): unknown => yaml.load(source, { schema, maxDepth: 20, maxAliases: 100 });
    return { markdown: withWikiLinks(markdown), yaml: { load } };
  } catch (error) {
    if (!isMissing(error, 'markdown-it') && !isMissing(error, 'js-yaml')) throw error;
    throw new NoParser(
      'Markdown requires the packages markdown-it 15 and js-yaml 5. Run npm install markdown-it js-yaml.',
    );
  }
};

/** Longer links are text. The limit keeps parsing linear for a text of brackets. */
const WIKI_LINK = /!?\[\[([^\][|\n]{1,300})(?:\|([^\][\n]{1,300}))?\]\]/y;

/** The size of an embedded image in pixels: its width, or width and height. */
const SIZE = /^(\d{1,5})(?:x\d{1,5})?$/;

/** `[[Title]]` and `[[Title|label]]` become links to `wiki:Title`, `![[boat.png|300]]` an image, and `![[Title]]` a link too. */
const withWikiLinks = (markdown: MarkdownIt): MarkdownIt => {
  markdown.inline.ruler.before('link', 'wiki_link', (state, silent) => {
    WIKI_LINK.lastIndex = state.pos;
    const isLink = state.src.startsWith('[[', state.pos) || state.src.startsWith('![[', state.pos);
    const [whole, target = '', label = target] = isLink ? (WIKI_LINK.exec(state.src) ?? []) : [];
    if (whole === undefined) return false;
    state.pos += whole.length;
    if (silent) return true;
    const href = `${WIKI_SCHEME}${target}`;
    if (whole.startsWith('!') && mediaType(target) !== undefined) {
      const [, width] = SIZE.exec(label) ?? [];
      const token = state.push('image', 'img', 0);
      token.attrs = [
        ['src', href],
        ['alt', ''],
        ...(width === undefined ? [] : [['width', width] as [string, string]]),
      ];
      token.children = [];
    } else {
      state.push('link_open', 'a', 1).attrs = [['href', href]];
      state.push('text', '', 0).content = label;
      state.push('link_close', 'a', -1);
    }
    return true;
  });
  return markdown;
};

/** The prefix of wiki links. URLs in a text cannot start like this, because markdown-it encodes U+0000. */
export const WIKI_SCHEME = '\0wiki:';
