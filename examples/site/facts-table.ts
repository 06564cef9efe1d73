import type { Database } from './database.js';
import { sql } from './sql.js';
import { CATEGORY, FILE } from './titles.js';
import { type Facts, urlKey } from './wikitext.js';

interface IndexedPage {
  readonly id: number;
  readonly ns: number;
  readonly key: string;
  readonly timestamp: string;
}

/** Removes everything that an earlier text of a page said. */
export function forgetFacts(database: Database, id: number): void {
  database.run(sql`DELETE FROM link WHERE kind IN ('link', 'template', 'file', 'redirect') AND page = ${id}`);
  database.run(sql`DELETE FROM category_member WHERE page = ${id}`);
  database.run(sql`DELETE FROM external_link WHERE page = ${id}`);
  database.run(sql`DELETE FROM foreign_link WHERE page = ${id}`);
  database.run(sql`DELETE FROM page_prop WHERE page = ${id}`);
  database.run(sql`DELETE FROM page_text WHERE rowid = ${id}`);
}

/** Keeps what the text of a page says, in the tables that lists are read from. */
export function storeFacts(database: Database, page: IndexedPage, facts: Facts): void {
  const { id } = page;
  for (const { kind, ns, key, fragment } of facts.links) {
    database.run(
      sql`INSERT INTO link (kind, page, ns, title, fragment) VALUES (${kind}, ${id}, ${ns}, ${key}, ${fragment})`,
    );
  }
  storeCategories(database, page, facts);
  for (const url of facts.urls) {
    const { protocol, key } = urlKey(url) ?? {};
    if (protocol === undefined || key === undefined) continue;
    database.run(sql`INSERT INTO external_link (page, url, protocol, key) VALUES (${id}, ${url}, ${protocol}, ${key})`);
  }
  for (const { language, prefix, text } of facts.foreign) {
    database.run(sql`INSERT OR IGNORE INTO foreign_link (page, language, prefix, title)
      VALUES (${id}, ${Number(language)}, ${prefix}, ${text})`);
  }
  for (const [name, value] of facts.props) {
    database.run(sql`INSERT INTO page_prop (page, name, value) VALUES (${id}, ${name}, ${value})`);
  }
}

/** Members of a category stand in the order of their sort keys in capitals, and of their titles where those are alike. */
function storeCategories(database: Database, { id, ns, key, timestamp }: IndexedPage, facts: Facts): void {
  const type = ns === CATEGORY ? 1 : ns === FILE ? 2 : 0;
  for (const [category, own] of facts.categories) {
    const prefix = own === '' ? (facts.props.get('defaultsort') ?? '') : own;
    const title = key.replaceAll('_', ' ');
    const sortkey = (prefix === '' ? title : `${prefix}\n${title}`).toUpperCase();
    database.run(sql`INSERT INTO category_member (category, type, sortkey, prefix, page, timestamp)
      VALUES (${category}, ${type}, ${sortkey}, ${prefix}, ${id}, ${timestamp})`);
  }
}
