import { contentQuery, memoryContent } from 'oauth-query/content';
import { oauthQuery } from 'oauth-query/fetch';
import { query } from 'oauth-query/query';
import { featureServer } from 'oauth-query/testing';
import { expect, test } from 'vitest';
import { titles } from './titles.js';

const PAGES = memoryContent(['Mooring', 'Ropes'].map((title) => ({ title, text: 'Knots' })));

test.each([
  [false, 200, { pages: [expect.objectContaining({ title: 'Mooring' }), expect.objectContaining({ title: 'Ropes' })] }],
  [true, 200, { error: 'readapidenied', error_description: expect.any(String) }],
])('a feature of a third party answers with the query API it needs; private: %s', async (isPrivate, status, json) => {
  const server = await featureServer({ features: [titles(), query(contentQuery(PAGES, { private: isPrivate }))] });
  expect(await server.get('/titles.json')).toMatchObject({ status, json });
  await server.close();
});

test('its server neither compiles nor starts without the query API', () => {
  // @ts-expect-error: 'missing feature': "query"
  expect(() => oauthQuery({ features: [titles()] })).toThrow(/titles needs query\. Add query\(\{ … \}\) of/);
});
