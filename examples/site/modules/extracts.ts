import { ApiError, type ParamsOf } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, idsOf, readKey } from '../handler.js';
import { sql, when } from '../sql.js';
import { plainText } from '../plain-text.js';
import { sectionOf } from '../wikitext.js';

type Params = ParamsOf<'extracts'>;

/** The beginnings of pages, without markup. */
export const extracts =
  (database: Database): Handler<'extracts'> =>
  ({ params, limit, continue: next, pages }) => {
    if (params.chars !== undefined && params.sentences !== undefined) {
      const names = { list: ['"exchars"', '"exsentences"'], type: 'text' } as const;
      throw new ApiError('invalidparammix', { key: 'apierror-invalidparammix', params: [names, 2] });
    }
    const rows = database.all<{ id: number; text: string | null }>(sql`
      SELECT page.id, text FROM page JOIN revision ON revision.id = latest WHERE page.id IN ${idsOf(pages)}
        ${when(readKey(next, 'number'), ([id]) => sql`AND page.id >= ${id}`)}
      ORDER BY page.id LIMIT ${limit + 1}`);
    const shown = rows.slice(0, limit).map(({ id, text }) => [id, { extract: extractOf(text ?? '', params) }] as const);
    return { pages: new Map(shown), continue: rows[limit]?.id };
  };

function extractOf(source: string, { intro, chars, sentences, plaintext, sectionformat }: Params): string {
  const text = plainText(intro ? (sectionOf(source, 0) ?? '') : source);
  const cut = chars === undefined ? firstSentences(text, sentences) : firstChars(text, chars);
  return plaintext ? withHeadings(cut, sectionformat) : toHtml(cut);
}

/** To the end of the word in which the number is reached. */
function firstChars(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const rest = text.slice(chars).search(/[^\p{L}\p{N}]/u);
  return `${text.slice(0, rest < 0 ? text.length : chars + rest)}...`;
}

function firstSentences(text: string, sentences: number | undefined): string {
  if (sentences === undefined) return text;
  const found = text.match(/[^.!?]*(?:[.!?]+(?=\s|$)|[.!?]+|$)/g) ?? [];
  return found.slice(0, sentences).join('').trim();
}

const HEADING = /^(=+) *(.*?) *\1$/gm;

function withHeadings(text: string, format: Params['sectionformat']): string {
  if (format === 'wiki') return text.replace(HEADING, '\n\n$1 $2 $1');
  if (format === 'plain') return text.replace(HEADING, '\n\n$2');
  return text.replace(
    HEADING,
    (_all, marks: string, title: string) => `\n\n\u0001\u0002${marks.length}\u0002\u0001${title}`,
  );
}

function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, marks, title] = /^(=+) *(.*?) *\1$/.exec(line) ?? [];
      return marks === undefined ? `<p>${line}</p>` : `<h${marks.length}>${title}</h${marks.length}>`;
    })
    .join('\n');
}
