import { withoutBraces, withoutElements } from './markup.js';

/** Removes all markup from wikitext, except the marks of headings. */
export function plainText(wikitext: string): string {
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
}
