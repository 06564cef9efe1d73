import type { Item, ParamsOf, Site } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, idsOf, type PageRow, readKey } from '../handler.js';
import { sql, titleList } from '../sql.js';
import { localTitle, showTitle } from '../titles.js';

interface InfoRow extends PageRow {
  readonly latest: number;
  readonly length: number;
  readonly touched: string;
  readonly model: string;
  readonly redirect: number;
  readonly revisions: number;
  readonly displaytitle: string | null;
  readonly watchers: number;
  readonly watched: number;
}

/** A page, whether it exists or not. */
interface Subject {
  readonly id: number;
  readonly ns: number;
  readonly key: string;
  readonly row: InfoRow | undefined;
}

type Params = ParamsOf<'info'>;

/** Basic facts about pages. Nothing is protected, and who asks for that sees so. */
export const info =
  (database: Database): Handler<'info'> =>
  ({ params, pages, site, caller, continue: next }) => {
    const [from] = readKey(next, 'number') ?? [];
    const name = caller?.name ?? '';
    const watcher = name.charAt(0).toUpperCase() + name.slice(1);
    const rows = database.all<InfoRow>(sql`
      SELECT id, ns, title, latest, length, touched, model, redirect_to IS NOT NULL AS redirect,
        (SELECT count(*) FROM (SELECT 1 FROM revision WHERE page = page.id LIMIT 2)) AS revisions,
        (SELECT value FROM page_prop WHERE page = page.id AND name = 'displaytitle') AS displaytitle,
        (SELECT count(*) FROM watch WHERE page = page.id) AS watchers,
        EXISTS (SELECT 1 FROM revision WHERE page = page.id AND user = ${watcher}) AS watched
      FROM page WHERE id IN ${idsOf(pages)}`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const subjects = [...pages.existing, ...pages.missing]
      .filter(({ id }) => from === undefined || id >= from)
      .map(({ id, ns, title }): Subject => ({ id, ns, key: localTitle(title, site)?.key ?? '', row: byId.get(id) }));
    const talks = params.prop?.some((prop) => prop === 'talkid' || prop === 'subjectid')
      ? others(database, subjects)
      : NONE;
    return { pages: new Map(subjects.map((subject) => [subject.id, infoItem(subject, params, site, talks)])) };
  };

function infoItem(subject: Subject, params: Params, site: Site, talks: ReadonlyMap<string, number>): Item {
  const { row } = subject;
  return {
    contentmodel: row?.model ?? 'wikitext',
    pagelanguage: site.language,
    pagelanguagehtmlcode: site.language,
    pagelanguagedir: new Set(['ar', 'fa', 'he', 'ur', 'yi']).has(site.language) ? 'rtl' : 'ltr',
    ...(row ? { touched: row.touched, lastrevid: row.latest, length: row.length } : {}),
    ...(row?.redirect === 1 ? { redirect: true } : {}),
    ...(row?.revisions === 1 ? { new: true } : {}),
    ...Object.assign({}, ...(params.prop ?? []).map((prop) => FACTS[prop]?.(subject, site, talks))),
    ...(params.testactions === undefined ? {} : { actions: actionsOf(params) }),
  };
}

/** Everybody may read, and nobody may do anything else. */
function actionsOf({ testactions = [], testactionsdetail }: Params): Item {
  const refused = [{ code: 'readonlysite', data: {}, text: 'This site can only be read.' }];
  const full = testactionsdetail !== 'boolean';
  return Object.fromEntries(
    testactions.map((action) => [action, full ? (action === 'read' ? [] : refused) : action === 'read']),
  );
}

type Fact = (subject: Subject, site: Site, talks: ReadonlyMap<string, number>) => Item;

const FACTS: { readonly [P in NonNullable<Params['prop']>[number]]?: Fact } = {
  protection: ({ row, ns }) => ({
    protection: [],
    restrictiontypes: row ? (ns === 6 ? ['edit', 'move', 'upload'] : ['edit', 'move']) : ['create'],
  }),
  talkid: ({ ns, key }, _site, talks) => idItem('talkid', ns % 2 === 0 ? talks.get(`${ns + 1}:${key}`) : undefined),
  subjectid: ({ ns, key }, _site, talks) =>
    idItem('subjectid', ns % 2 === 1 ? talks.get(`${ns - 1}:${key}`) : undefined),
  associatedpage: ({ ns, key }, site) => ({ associatedpage: showTitle(ns ^ 1, key, site) }),
  url: ({ ns, key }, site) => {
    const title = showTitle(ns, key, site).replaceAll(' ', '_');
    const fullurl =
      site.server +
      site.articlePath.replace('$1', encodeURIComponent(title).replaceAll('%3A', ':').replaceAll('%2F', '/'));
    const editurl = `${site.server}${site.scriptPath}/index.php?title=${encodeURIComponent(title)}&action=edit`;
    return { fullurl, editurl, canonicalurl: fullurl };
  },
  linkclasses: ({ row }) => ({ linkclasses: row?.redirect === 1 ? ['mw-redirect'] : [] }),
  readable: () => ({ readable: true }),
  preload: () => ({ preload: '' }),
  displaytitle: ({ row, ns, key }, site) => ({ displaytitle: row?.displaytitle ?? showTitle(ns, key, site) }),
  varianttitles: ({ ns, key }, site) => ({ varianttitles: { [site.language]: showTitle(ns, key, site) } }),
  watched: ({ row }) => ({ watched: row?.watched === 1 }),
  watchers: ({ row }) => (row && row.watchers > 0 ? { watchers: row.watchers } : {}),
};

const idItem = (name: string, id: number | undefined): Item => (id === undefined ? {} : { [name]: id });

const NONE: ReadonlyMap<string, number> = new Map();

/** The ids of talk pages and of the pages that are talked about. */
function others(database: Database, subjects: readonly Subject[]): ReadonlyMap<string, number> {
  const titles = subjects.map(({ ns, key }) => ({ ns: ns ^ 1, key }));
  const rows = database.all<PageRow>(sql`SELECT id, ns, title FROM page WHERE (ns, title) IN ${titleList(titles)}`);
  return new Map(rows.map(({ id, ns, title }) => [`${ns}:${title}`, id]));
}
