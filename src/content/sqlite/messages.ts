import type { ResultItem, Site } from '../../core/query/index.js';
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

/** The name of a message, from the title of its page. */
// Names of messages are ASCII in every language.
const nameOf = (title: string): string => (title.charAt(0).toLowerCase() + title.slice(1)).replaceAll(' ', '_');

/** Messages that follow from the site options. Other default messages are not part of an export. */
const defaultOf = (name: string, site: Site): string | undefined => (name === 'mainpage' ? site.mainPage : undefined);

const filled = (text: string, args: readonly string[]): string =>
  text.replace(/\$(\d+)/g, (hole, number: string) => args[Number(number) - 1] ?? hole);

/** The interface messages that the site has pages for. */
export const allmessages =
  (database: ContentDatabase): Handler<'allmessages'> =>
  ({ params, site, warn }) => {
    if (params.enableparser) warn('noparser', 'This site returns messages without parsing them.');
    const { messages, from, to, prefix, filter, customised, lang = site.language, args = [] } = params;
    const content = new Content({}, site, undefined);
    const key = (name: string): string => content.start(name, MESSAGES);
    const all = messages.includes('*');
    const wanted = [...new Set(messages.map((name) => nameOf(name.replaceAll(' ', '_'))))].sort();
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
    const texts = new Map(pages.slice(0, MAX_MESSAGES).map(({ title, text }) => [nameOf(title), text]));
    // A subpage of the message has the text in another language.
    const translated = lang === site.language || all ? [] : read(sql`page.id IN ${named(`/${lang}`)}`);
    for (const { title, text } of translated) texts.set(nameOf(title.slice(0, -lang.length - 1)), text);

    const isMeant = (name: string): boolean =>
      (from === undefined || name >= nameOf(from)) &&
      (to === undefined || name <= nameOf(to)) &&
      name.startsWith(nameOf(prefix ?? '')) &&
      name.includes(filter ?? '') &&
      (customised === 'all' || texts.has(name) === (customised === 'modified'));

    const describe = (name: string): ResultItem => {
      const preset = defaultOf(name, site);
      const text = texts.get(name) ?? preset;
      const shown = text === undefined ? { missing: true } : params.nocontent ? {} : { content: filled(text, args) };
      const isDefaultWanted = params.prop?.includes('default') ?? false;
      return {
        name,
        normalizedname: name,
        ...(customised === 'all' ? {} : { customised: texts.has(name) }),
        ...shown,
        ...(isDefaultWanted ? (preset === undefined ? { defaultmissing: true } : { default: preset }) : {}),
      };
    };
    return {
      data: (all ? [...texts.keys()] : wanted).filter(isMeant).map(describe),
      continue: next && nameOf(next.title),
    };
  };
