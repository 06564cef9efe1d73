import { Html } from '../../base/html.js';
import type { ResultItem } from '../answer/result-format.js';
import { titleKey } from '../site/title.js';
import type { RenderedSection } from './renderer.js';

/** The headings of a page for `prop=sections`, with their numbers: `2.1` is the first below the second. */
export const sectionItems = (
  sections: readonly RenderedSection[],
  { title, text }: { readonly title: string; readonly text: string },
): readonly ResultItem[] => {
  const numbering = new Numbering();
  const offsets = new Offsets(text);
  return sections.map(({ level, line, anchor, offset }, index) => ({
    ...numbering.next(level),
    level: String(level),
    line: Html.content(line).source,
    index: String(index + 1),
    fromtitle: titleKey(title),
    byteoffset: offset === undefined ? null : offsets.at(offset),
    anchor,
    linkAnchor: anchor,
  }));
};

/** The same for `prop=tocdata`. */
export const tableOfContents = (sections: readonly ResultItem[]): ResultItem => ({
  sections: sections.map(({ toclevel, level, line, number, index, fromtitle, byteoffset, anchor, linkAnchor }) => ({
    tocLevel: toclevel,
    hLevel: Number(level),
    line,
    number,
    index,
    fromTitle: fromtitle,
    codepointOffset: byteoffset,
    anchor,
    linkAnchor,
  })),
});

/** Numbers headings as MediaWiki does: a lower heading is always one level deeper, however small it is. */
class Numbering {
  /** By depth: the level of the last heading, and the count. */
  readonly #open: { level: number; count: number }[] = [];
  #previous = 0;

  next(level: number): { readonly toclevel: number; readonly number: string } {
    const open = this.#open;
    if (level > this.#previous || open.length === 0) open.push({ level, count: 0 });
    else if (level < this.#previous) {
      let depth = open.length;
      while (depth > 1 && (open[depth - 1]?.level ?? 0) > level) depth -= 1;
      // A level between those of a heading and its subheadings counts as a subheading.
      if ((open[depth - 1]?.level ?? 0) < level && depth < open.length) depth += 1;
      open.length = depth;
    }
    this.#previous = level;
    const last = open.at(-1);
    if (last) {
      last.level = level;
      last.count += 1;
    }
    return { toclevel: open.length, number: open.map(({ count }) => count).join('.') };
  }
}

/** Converts indexes of a text to places in code points, which MediaWiki calls byte offsets, in ascending order. */
class Offsets {
  readonly #text: string;
  #index = 0;
  #points = 0;

  constructor(text: string) {
    this.#text = text;
  }

  at(index: number): number | null {
    if (index < this.#index || index > this.#text.length) return null;
    for (const _ of this.#text.slice(this.#index, index)) this.#points += 1;
    this.#index = index;
    return this.#points;
  }
}
