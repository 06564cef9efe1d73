import type { ContentMarkup } from '../source.js';

interface Tag {
  /** The lower-case name of an element; `!--` for a comment. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly isWhole: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces comments and elements with these names, including their content. Unclosed elements are kept. Takes one pass
 * over the text, unlike regular expressions that search for the end from every start.
 */
export const withoutElements = (text: string, names: readonly string[], replacement: string): string => {
  if (!text.includes('<')) return text;
  const tags = tagsOf(text, names);
  const lastEnds = new Map(tags.filter(({ isEnd }) => isEnd).map(({ name, start }) => [name, start]));
  const output: string[] = [];
  let from = 0;
  let open: Tag | undefined;
  for (const tag of tags) {
    if (open === undefined && !tag.isEnd && (lastEnds.get(tag.name) ?? -1) > tag.start) open = tag;
    const isHidden = open === undefined ? tag.isWhole : tag.isEnd && tag.name === open.name;
    if (!isHidden) continue;
    output.push(text.slice(from, (open ?? tag).start), replacement);
    from = tag.end;
    open = undefined;
  }
  return output.join('') + text.slice(from);
};

const tagsOf = (text: string, names: readonly string[]): readonly Tag[] => {
  const pattern = new RegExp(`<!--|-->|<(/?)(${names.join('|')})\\b[^<>]*>`, 'gi');
  return Array.from(text.matchAll(pattern), ({ 0: tag, 1: slash, 2: name = '!--', index }) => ({
    name: name.toLowerCase(),
    isEnd: slash === '/' || tag === '-->',
    isWhole: tag.endsWith('/>'),
    start: index,
    end: index + tag.length,
  }));
};

const CLOSES: Readonly<Record<string, string>> = { '}}': '{{', '|}': '{|' };

/** Removes templates and tables, including nested ones. Unbalanced braces are kept. */
const withoutBraces = (text: string): string => {
  const output: string[] = [];
  /** The open marks, each with the length of the output before it. */
  const open: { readonly mark: string; readonly output: number }[] = [];
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(/\{\{|\}\}|\{\||\|\}(?!\})/g)) {
    output.push(text.slice(from, index));
    from = index + mark.length;
    const opening = CLOSES[mark];
    if (opening === undefined) open.push({ mark, output: output.length });
    else if (open.at(-1)?.mark === opening) {
      output.length = open.pop()?.output ?? 0;
      continue;
    }
    output.push(mark);
  }
  return output.join('') + text.slice(from);
};

/** Parses a heading: the number of marks on each side, and its title. */
export const headingOf = (line: string): { readonly marks: string; readonly title: string } | undefined => {
  if (!line.startsWith('=') || !line.endsWith('=')) return undefined;
  let left = 0;
  while (line[left] === '=') left += 1;
  let right = 0;
  while (line[line.length - 1 - right] === '=') right += 1;
  const level = Math.min(left, right, Math.floor(line.length / 2), 6);
  if (level === 0) return undefined;
  return { marks: '='.repeat(level), title: line.slice(level, line.length - level).trim() };
};

/** The markup of wikitext. */
export const WIKITEXT: ContentMarkup = {
  section: (text, number) => {
    const headings = [...text.matchAll(/^(={1,6})[^=\n].*?\1[ \t]*$/gm)];
    if (number === 0) return text.slice(0, headings[0]?.index ?? text.length).trimEnd();
    const heading = headings[number - 1];
    if (!heading) return undefined;
    const level = heading[1]?.length ?? 1;
    const next = headings.slice(number).find(([, marks = '']) => marks.length <= level);
    return text.slice(heading.index, next?.index ?? text.length).trimEnd();
  },
  plainText: (wikitext) => {
    const text = withoutElements(wikitext, ['ref', 'gallery', 'math', 'table'], '').replace(/__[A-Z]+__/g, '');
    return withoutBraces(text)
      .replace(/\[\[[^\][|:]+:[^\][]*\]\]/g, '')
      .replace(/\[\[:?(?:[^\][|]*\|)?([^\][]*)\]\]/g, '$1')
      .replace(/\[(?:https?|ftp):\/\/[^\s[\]]+(?: ([^[\]]*))?\]/g, '$1')
      .replace(/'{2,5}/g, '')
      .replace(/<[^<>]+>/g, '')
      .replace(/^[*#;:]+ */gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  },
};
