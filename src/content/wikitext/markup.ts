interface Tag {
  /** The name of an element in small letters; `!--` for a comment. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly isWhole: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * Replaces comments, and the elements of these names with what is in them. An element that is never closed stays.
 * Everything here takes one pass over the text: expressions that look for an end from every beginning do not.
 */
export function withoutElements(text: string, names: readonly string[], replacement: string): string {
  if (!text.includes('<')) return text;
  const tags = tagsOf(text, names);
  const lastEnds = new Map(tags.filter(({ isEnd }) => isEnd).map(({ name, start }) => [name, start]));
  const kept: string[] = [];
  let from = 0;
  let open: Tag | undefined;
  for (const tag of tags) {
    if (open === undefined && !tag.isEnd && (lastEnds.get(tag.name) ?? -1) > tag.start) open = tag;
    const isHidden = open === undefined ? tag.isWhole : tag.isEnd && tag.name === open.name;
    if (!isHidden) continue;
    kept.push(text.slice(from, (open ?? tag).start), replacement);
    from = tag.end;
    open = undefined;
  }
  return kept.join('') + text.slice(from);
}

function tagsOf(text: string, names: readonly string[]): readonly Tag[] {
  const pattern = new RegExp(`<!--|-->|<(/?)(${names.join('|')})\\b[^<>]*>`, 'gi');
  return Array.from(text.matchAll(pattern), ({ 0: tag, 1: slash, 2: name = '!--', index }) => ({
    name: name.toLowerCase(),
    isEnd: slash === '/' || tag === '-->',
    isWhole: tag.endsWith('/>'),
    start: index,
    end: index + tag.length,
  }));
}

const CLOSES: Readonly<Record<string, string>> = { '}}': '{{', '|}': '{|' };

/** Removes templates and tables, with those inside them. What is never closed, or never opened, stays. */
export function withoutBraces(text: string): string {
  const kept: string[] = [];
  /** What is open, and how much was kept before it. */
  const open: { readonly mark: string; readonly kept: number }[] = [];
  let from = 0;
  for (const { 0: mark, index } of text.matchAll(/\{\{|\}\}|\{\||\|\}(?!\})/g)) {
    kept.push(text.slice(from, index));
    from = index + mark.length;
    const opening = CLOSES[mark];
    if (opening === undefined) open.push({ mark, kept: kept.length });
    else if (open.at(-1)?.mark === opening) {
      kept.length = open.pop()?.kept ?? 0;
      continue;
    }
    kept.push(mark);
  }
  return kept.join('') + text.slice(from);
}

/** A line that is a heading: how many marks it has on each side, and what stands between them. */
export function headingOf(line: string): { readonly marks: string; readonly title: string } | undefined {
  if (!line.startsWith('=') || !line.endsWith('=')) return undefined;
  let left = 0;
  while (line[left] === '=') left += 1;
  let right = 0;
  while (line[line.length - 1 - right] === '=') right += 1;
  const level = Math.min(left, right, Math.floor(line.length / 2), 6);
  if (level === 0) return undefined;
  return { marks: '='.repeat(level), title: line.slice(level, line.length - level).trim() };
}
