/** Wikitext as a person would read it aloud: headings stay marked, everything else that is markup goes. */
export function plainText(wikitext: string): string {
  let text = wikitext
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<ref\b[^>]*\/>|<(ref|gallery|math|table)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/__[A-Z]+__/g, '');
  // From the innermost outwards.
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/\{\{[^{}]*\}\}/g, '').replace(/\{\|[^{}]*\|\}/g, '');
  }
  return text
    .replace(/\[\[[^\][|:]+:[^\][]*\]\]/g, '')
    .replace(/\[\[:?(?:[^\][|]*\|)?([^\][]*)\]\]/g, '$1')
    .replace(/\[(?:https?|ftp):\/\/[^\s\]]+ ?([^\]]*)\]/g, '$1')
    .replace(/'{2,5}/g, '')
    .replace(/<[^<>]+>/g, '')
    .replace(/^[*#;:]+ */gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
