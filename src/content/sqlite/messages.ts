import { messageName, messageRows } from '../../core/query/toolkit.js';
import type { Handler } from '../answers/answer.js';
import { Content } from '../content.js';
import { endOf } from '../keys.js';
import type { ContentDatabase } from './database.js';
import { pagesNamed, sql, when } from './sql.js';

/** The namespace of interface messages: a page for each customized one. */
const MESSAGES = 8;
/** The maximum number per response if all are requested. */
const MAX_MESSAGES = 500;

interface Message {
  readonly title: string;
  readonly text: string | null;
}

/** The interface messages that the site has pages for. */
export const allmessages =
  (database: ContentDatabase): Handler<'allmessages'> =>
  (request) => {
    const { params, site } = request;
    const { messages, from, to, prefix, lang = site.language } = params;
    const content = new Content({}, site, undefined);
    const key = (name: string): string => content.start(name, MESSAGES);
    const all = messages.includes('*');
    const wanted = [...new Set(messages.map((name) => messageName(name.replaceAll(' ', '_'))))];
    const named = (ending: string) => pagesNamed(wanted.map((name) => ({ ns: MESSAGES, title: key(name) + ending })));
    const read = (condition: ReturnType<typeof sql>): readonly Message[] =>
      database.all<Message>(sql`
        SELECT title, text FROM page JOIN revision ON revision.id = latest WHERE page.ns = ${MESSAGES} AND ${condition}
        ORDER BY title LIMIT ${all ? MAX_MESSAGES + 1 : wanted.length}`);
    const pages = read(
      all
        ? sql`instr(title, '/') = 0 ${when(from, (name) => sql`AND title >= ${key(name)}`)}
            ${when(to, (name) => sql`AND title <= ${key(name)}`)}
            ${when(prefix, (name) => sql`AND title >= ${key(name)} AND title < ${endOf(key(name))}`)}`
        : sql`page.id IN ${named('')}`,
    );
    const next = pages[MAX_MESSAGES];
    const texts = new Map(pages.slice(0, MAX_MESSAGES).map(({ title, text }) => [messageName(title), text]));
    // A subpage of the message has the text in another language.
    const translated = lang === site.language || all ? [] : read(sql`page.id IN ${named(`/${lang}`)}`);
    for (const { title, text } of translated) texts.set(messageName(title.slice(0, -lang.length - 1)), text);
    return { data: messageRows(request, texts), continue: next && messageName(next.title) };
  };
