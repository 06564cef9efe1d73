import type { ContentMarkup } from '../source.js';
import { plain } from './document.js';
import { readFrontMatter } from './front-matter.js';
import { bounded, boundedBlocks, type Peers } from './peers.js';

/** The markup of Markdown, for `rvsection` and `prop=extracts`. */
export const markdownMarkup = ({ markdown, yaml }: Peers): ContentMarkup => ({
  section: (text, number) => {
    const { body } = readFrontMatter(text, yaml);
    const bound = boundedBlocks(body);
    const before = text.length - body.length;
    const starts = lineStarts(body);
    const tokens: ReturnType<typeof markdown.parse> = [];
    markdown.block.parse(body.replace(/\r\n?/g, '\n'), markdown, bound, tokens);
    const headings = tokens.flatMap(({ type, tag, map }) =>
      type === 'heading_open' ? [{ level: Number(tag.slice(1)), start: before + (starts[map?.[0] ?? 0] ?? 0) }] : [],
    );
    if (number === 0) return text.slice(0, headings[0]?.start ?? text.length).trimEnd();
    const heading = headings[number - 1];
    if (!heading) return undefined;
    const next = headings.slice(number).find(({ level }) => level <= heading.level);
    return text.slice(heading.start, next?.start ?? text.length).trimEnd();
  },
  plainText: (text) => {
    let marks = '';
    const blocks: string[] = [];
    const { body } = readFrontMatter(text, yaml);
    for (const { type, tag, content, children } of markdown.parse(body, bounded(body))) {
      if (type === 'heading_open') marks = '='.repeat(Number(tag.slice(1)));
      else if (type === 'fence' || type === 'code_block') blocks.push(content.trimEnd());
      else if (type === 'inline') {
        const words = plain(children ?? []).trim();
        if (words !== '') blocks.push(marks === '' ? words : `${marks} ${words} ${marks}`);
        marks = '';
      }
    }
    return blocks.join('\n\n');
  },
  bodyAt: (text) => text.length - readFrontMatter(text, yaml).body.length,
});

/** The start of each line, by markdown-it's line numbers. */
export const lineStarts = (text: string): readonly number[] => [
  0,
  ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length),
];
