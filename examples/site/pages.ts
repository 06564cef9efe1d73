import type { PageResolver } from 'oauth-query';
import type { Database } from './database.js';
import type { PageRow } from './handler.js';
import { sql, titleList } from './sql.js';
import { localTitle, showTitle, type TitleRules } from './titles.js';

interface Found extends PageRow {
  readonly redirect_to: string | null;
  readonly redirect_fragment: string;
  /** The revision ids that were asked for, as JSON. */
  readonly revids: string;
}

/** Finds the pages of a request by their titles, ids or revisions. */
export const findPages =
  (database: Database, rules: TitleRules): PageResolver =>
  ({ titles, pageids, revids }) => {
    const keys = titles.flatMap((title) => localTitle(title, rules) ?? []);
    const rows = database.all<Found>(sql`
      SELECT id, ns, title, redirect_to, redirect_fragment,
        (SELECT json_group_array(id) FROM revision WHERE page = page.id AND id IN ${revids}) AS revids
      FROM page
      WHERE (ns, title) IN ${titleList(keys)}
        OR id IN ${pageids}
        OR id IN (SELECT page FROM revision WHERE id IN ${revids})`);
    return rows.map((row) => ({
      pageid: row.id,
      ns: row.ns,
      title: showTitle(row.ns, row.title, rules),
      ...(row.redirect_to === null ? {} : { redirect: { to: row.redirect_to, fragment: row.redirect_fragment } }),
      // Written by the database itself.
      revids: JSON.parse(row.revids) as number[],
    }));
  };
