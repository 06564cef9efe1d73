import { ApiError, type ParamsOf, termsIn } from '../../core/query/index.js';
import { Html, message } from '../../core/query/toolkit.js';
import type { ContentMarkup } from '../source.js';
import { headingOf } from '../wikitext/markup.js';
import { type Answer, idsOf, readKey } from './answer.js';
import { howManyFit } from './texts.js';

type Params = ParamsOf<'extracts'>;

/** The size of the texts that are read for a response; the markup of more takes too long. Further pages are continued. */
const MAX_READ = 250_000;

/** The beginning of pages, without markup. */
export const extracts: Answer<'extracts', 'revisions' | 'pages'> = async (content, request) => {
  const { params, limit, continue: next, pages } = request;
  if (params.chars !== undefined && params.sentences !== undefined) {
    const names = { list: ['"exchars"', '"exsentences"'], type: 'text' } as const;
    throw new ApiError('invalidparammix', message('apierror-invalidparammix', names, 2));
  }
  const [start = 0] = readKey(next, 'number') ?? [];
  const ids = idsOf(pages)
    .filter((id) => id >= start)
    .sort((a, b) => a - b);
  const wanted = ids.slice(0, limit);
  const known = await content.byId(wanted, request);
  const sizes = wanted.map((id) => known.get(id)?.length ?? 0);
  const read = wanted.slice(0, howManyFit(sizes, MAX_READ));
  const revids = read.flatMap((id) => known.get(id)?.revid ?? []);
  const found = revids.length === 0 ? [] : await content.source.revisions({ ids: revids, text: true }, request);
  const shown = found.map((row) => {
    try {
      const extract = extractOf((row.text ?? '').slice(0, MAX_READ), params, content.markupOf(row));
      return [row.page, { extract }] as const;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The other pages have theirs.
      request.warn(error.code, `Page ${row.page}: ${error.message}`);
      return [row.page, {}] as const;
    }
  });
  return { pages: new Map(shown), continue: ids[read.length] };
};

const extractOf = (source: string, params: Params, markup: ContentMarkup): string => {
  const { intro, chars, sentences, plaintext, sectionformat } = params;
  const text = intro ? introOf(source, markup) : markup.plainText(source);
  const cut = chars === undefined ? firstSentences(text, sentences) : firstChars(text, chars);
  return plaintext ? withHeadings(cut, sectionformat) : toHtml(cut);
};

/** The text before the first heading. A title as the first heading, as usual in Markdown, does not count. */
const introOf = (source: string, markup: ContentMarkup): string => {
  const intro = markup.plainText(markup.section(source, 0) ?? '');
  if (intro !== '') return intro;
  const [first = '', ...lines] = markup.plainText(source).split('\n');
  if (headingOf(first)?.marks !== '=') return '';
  const end = lines.findIndex((line) => headingOf(line) !== undefined);
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .join('\n')
    .trim();
};

/** A longer word is cut. */
const MAX_WORD = 300;

/** Cuts at the end of the word that reaches the number, or of the letter in scripts without spaces. */
const firstChars = (text: string, chars: number): string => {
  if (text.length <= chars) return text;
  const from = Math.max(0, chars - MAX_WORD);
  const around = text.slice(from, chars + MAX_WORD);
  const reaching = termsIn(around).find(({ start, end }) => from + start < chars && chars < from + end);
  const [rest = ''] = reaching ? [] : (/^[\p{M}\u200d\udc00-\udfff]+/u.exec(around.slice(chars - from)) ?? []);
  return `${text.slice(0, reaching ? from + reaching.end : chars + rest.length)}...`;
};

const firstSentences = (text: string, sentences: number | undefined): string => {
  if (sentences === undefined) return text;
  const found = text.match(/[^\p{STerm}]*(?:\p{STerm}+|$)/gu) ?? [];
  return found.slice(0, sentences).join('').trim();
};

const withHeadings = (text: string, format: Params['sectionformat']): string => {
  const lines = text.split('\n').map((line) => {
    const { marks, title } = headingOf(line) ?? {};
    if (marks === undefined) return line;
    if (format === 'wiki') return `\n\n${marks} ${title} ${marks}`;
    return format === 'plain' ? `\n\n${title}` : `\n\n\u0001\u0002${marks.length}\u0002\u0001${title}`;
  });
  return lines.join('\n');
};

const toHtml = (text: string): string =>
  Html.content(text)
    .source.split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { marks, title } = headingOf(line) ?? {};
      return marks === undefined ? `<p>${line}</p>` : `<h${marks.length}>${title}</h${marks.length}>`;
    })
    .join('\n');
