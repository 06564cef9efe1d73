import { type ContentSource, contentQuery, type MemoryPage } from 'oauth-query/content';
import { contentContract } from 'oauth-query/testing';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as code from '../../examples/content/postgresql.js';
import { type QueryHost, startQuery } from '../content/support/same-pages.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noPostgres, type PostgresServer, startPostgres } from '../stores/engines/postgres.js';

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** What was asked of the database. */
const asked: Statement[] = [];
let server: PostgresServer;
let database: Pool;
const filledWith = async (pages: readonly MemoryPage[]): Promise<ContentSource> => {
  await database.query('DELETE FROM article');
  for (const { id = 0, ns = 0, title, redirect, text, history = [] } of pages) {
    const { id: revision = id, timestamp = '2024-01-01T00:00:00Z', user = 'Alice' } = history.at(-1) ?? {};
    await database.query(
      `INSERT INTO article (id, ns, title, redirect_to, revision, body, author, changed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, ns, title, redirect?.to ?? null, revision, text, user, timestamp],
    );
  }
  return code.articlesIn({
    query: (statement) => {
      asked.push(statement);
      return database.query(statement.text, statement.values);
    },
  });
};

describeEngine('examples/content/postgresql.ts', noPostgres, () => {
  beforeAll(async () => {
    server = await startPostgres();
    database = new Pool({ connectionString: server.url });
    await database.query(code.TABLE);
  });
  afterAll(async () => {
    await database.end();
    await server.remove();
  });

  describe('the source', () => {
    const cases = contentContract(async (pages) => ({ source: await filledWith(pages) }), ['pageRange', 'search']);
    for (const { name, run } of cases) test(name, run);
  });

  describe('a server with the source', () => {
    let host: QueryHost;
    beforeAll(async () => {
      const pages = Array.from({ length: 40 }, (_, index) => ({
        id: index + 1,
        title: `Page ${String(index).padStart(2, '0')}`,
        text: `Text ${index} about ${index % 2 === 0 ? 'apples' : 'pears'}.`,
      }));
      const redirect = { id: 100, title: 'Way', text: '', redirect: { to: 'Page 03' } };
      host = await startQuery(contentQuery(await filledWith([...pages, redirect])));
    });
    afterAll(() => host.close());

    const query = async (params: Readonly<Record<string, string>>) => {
      asked.length = 0;
      const { json } = await host.query(params);
      expect({ error: json['error'], warnings: json['warnings'] }).toEqual({});
      return json['query'] as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
    };

    test('returns facts and texts of many pages with one statement each', async () => {
      const params = {
        generator: 'allpages',
        gaplimit: '30',
        prop: 'info|revisions',
        rvprop: 'content',
        rvslots: 'main',
      };
      const { pages = [] } = await query(params);
      expect(pages).toHaveLength(30);
      expect(pages[7]).toMatchObject({
        title: 'Page 07',
        length: 19,
        revisions: [{ slots: { main: { content: 'Text 7 about pears.' } } }],
      });
      expect(asked.length).toBeLessThanOrEqual(5);
      expect(new Set(asked.map(({ name }) => name)).size).toBeGreaterThan(2);
    });
  });
});
