import { ApiError, type ParamsOf } from 'oauth-query';
import type { Database } from '../database.js';
import { type Handler, listOf, only, type PageRow, readKey } from '../handler.js';
import { direction, type Sql, sql, when } from '../sql.js';
import { CATEGORY, showTitle } from '../titles.js';
import { targetOf } from './backlinks.js';

type Params = ParamsOf<'categorymembers'>;

/** In the order in which they are stored and listed. */
const TYPES = ['page', 'subcat', 'file'] as const;

interface MemberRow extends PageRow {
  readonly type: number;
  readonly sortkey: string;
  readonly prefix: string;
  readonly timestamp: string;
}

const hex = (text: string): string => Buffer.from(text).toString('hex');

/** The pages, subcategories and files of a category. */
export const categorymembers =
  (database: Database): Handler<'categorymembers'> =>
  ({ params, limit, continue: next, site, role }) => {
    const { ns, key } = targetOf(database, params, site);
    if (ns !== CATEGORY) throw new ApiError('invalidcategory', { key: 'apierror-invalidcategory', params: [] });
    const types = TYPES.flatMap((type, number) => (params.type.includes(type) ? [number] : []));
    const byTime = params.sort === 'timestamp';
    const rows = database.all<MemberRow>(sql`
      SELECT page.id, page.ns, page.title, type, sortkey, prefix, timestamp
      FROM category_member JOIN page ON page.id = page
      WHERE category = ${key}
        ${when(!byTime, () => sql`AND type IN ${types}`)}
        ${when(params.namespace, (list) => sql`AND page.ns IN ${list}`)}
        ${byTime ? timeBounds(params, next) : sortkeyBounds(params, next)}
      LIMIT ${limit + 1}`);
    const wanted = role === 'generator' ? ['ids', 'title'] : params.prop;
    return listOf(rows, {
      limit,
      key: ({ type, sortkey, timestamp, id }) => (byTime ? [timestamp, id] : [type, hex(sortkey), id]),
      item: ({ id, ns: pageNs, title, type, sortkey, prefix, timestamp }) =>
        only(
          {
            pageid: wanted.includes('ids') ? id : undefined,
            ...(wanted.includes('title') ? { ns: pageNs, title: showTitle(pageNs, title, site) } : {}),
            sortkey: wanted.includes('sortkey') ? hex(sortkey) : undefined,
            sortkeyprefix: wanted.includes('sortkeyprefix') ? prefix : undefined,
            type: wanted.includes('type') ? TYPES[type] : undefined,
            timestamp: wanted.includes('timestamp') ? timestamp : undefined,
          },
          ['pageid', 'ns', 'title', 'sortkey', 'sortkeyprefix', 'type', 'timestamp'],
        ),
    });
  };

const DESCENDING: ReadonlySet<string> = new Set(['desc', 'descending', 'older']);

function timeBounds({ start, end, dir }: Params, next: string | undefined): Sql {
  // The names of the directions are those of a list of names: as there, `newer` goes upwards.
  const { order, from, to } = direction(DESCENDING.has(dir));
  const key = readKey(next, 'time', 'number');
  return sql`
    ${when(key, ([timestamp, page]) => sql`AND (timestamp, page) ${from} (${timestamp}, ${page})`)}
    ${when(start, (time) => sql`AND timestamp ${from} ${time}`)}
    ${when(end, (time) => sql`AND timestamp ${to} ${time}`)}
    ORDER BY timestamp ${order}, page ${order}`;
}

function sortkeyBounds(params: Params, next: string | undefined): Sql {
  const { order, from, to } = direction(DESCENDING.has(params.dir));
  const key = readKey(next, 'number', 'text', 'number');
  const unhex = (text: string): string => Buffer.from(text, 'hex').toString();
  const first =
    textOr(params.starthexsortkey, unhex) ?? textOr(params.startsortkeyprefix, upper) ?? params.startsortkey;
  const last = textOr(params.endhexsortkey, unhex) ?? textOr(params.endsortkeyprefix, upper) ?? params.endsortkey;
  return sql`
    ${when(key, ([type, sortkey, page]) => sql`AND (type, sortkey, page) ${from} (${type}, ${unhex(sortkey)}, ${page})`)}
    ${when(first, (text) => sql`AND sortkey ${from} ${text}`)}
    ${when(last, (text) => sql`AND sortkey ${to} ${text}`)}
    ORDER BY type ${order}, sortkey ${order}, page ${order}`;
}

const upper = (text: string): string => text.toUpperCase();

const textOr = (text: string | undefined, read: (text: string) => string): string | undefined =>
  text === undefined ? undefined : read(text);
