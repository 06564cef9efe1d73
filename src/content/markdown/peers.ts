type MarkdownIt = InstanceType<(typeof import('markdown-it'))['default']>;

/** The packages that read Markdown and its front matter. */
export interface Peers {
  readonly markdown: MarkdownIt;
  readonly yaml: Pick<typeof import('js-yaml'), 'load' | 'FAILSAFE_SCHEMA'>;
}

/** A package that reads Markdown is not installed: a sentence that says what to install. */
export class NoParser extends Error {
  /** Always `NoParser`. */
  override readonly name = 'NoParser';
}

/** @throws NoParser when one of the packages is not installed. */
export async function loadPeers(): Promise<Peers> {
  try {
    const [{ default: Markdown }, yaml] = await Promise.all([import('markdown-it'), import('js-yaml')]);
    // Without `html`, tags in a text are text; addresses such as `javascript:` make no link.
    const markdown = new Markdown({ html: false, linkify: true });
    // Bare words such as `readme.md` are no addresses.
    markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
    return { markdown: withWikiLinks(markdown), yaml };
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new NoParser(
      'Markdown needs the packages markdown-it 15 and js-yaml 5. Add them: npm install markdown-it js-yaml',
    );
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  /'(?:markdown-it|js-yaml)'/.test(error.message);

/** Longer ones are text: no end is looked for further away, so a text of brackets takes one pass. */
const WIKI_LINK = /\[\[([^\][|\n]{1,300})(?:\|([^\][\n]{1,300}))?\]\]/y;

/** `[[Title]]` and `[[Title|label]]` become links whose address is `wiki:Title`. */
const withWikiLinks = (markdown: MarkdownIt): MarkdownIt => {
  markdown.inline.ruler.before('link', 'wiki_link', (state, silent) => {
    WIKI_LINK.lastIndex = state.pos;
    const [whole, target = '', label = target] = state.src.startsWith('[[', state.pos)
      ? (WIKI_LINK.exec(state.src) ?? [])
      : [];
    if (whole === undefined) return false;
    if (!silent) {
      state.push('link_open', 'a', 1).attrs = [['href', `${WIKI_SCHEME}${target}`]];
      state.push('text', '', 0).content = label;
      state.push('link_close', 'a', -1);
    }
    state.pos += whole.length;
    return true;
  });
  return markdown;
};

/** In front of the title that a wiki link names. An address in a text cannot begin so: the reader of addresses writes `wiki%3A`. */
export const WIKI_SCHEME = '\0wiki:';
