import { featureServer } from 'oauth-query/testing';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { quotas, type QuotaOptions } from './quotas.js';

test('a feature reads its options by a table, which has the defaults', async () => {
  const server = await featureServer({ scopes: { read: 'Read' }, features: [quotas({ unit: 'pages' })] });
  expect(await server.tokens({ scope: 'read' })).toMatchObject({ quota: '1000 pages' });
  expect(server.errors).toEqual([]);
  await server.close();
});

/** Options, and the sentence of the error. */
const WRONG = [
  [{ unit: 'pages', perday: 5 }, 'quotas: options.perday is unknown. Did you mean options.perDay?', 'OQ101'],
  [{ unit: 'page' }, "quotas: options.unit must be 'requests' or 'pages'.", 'OQ100'],
  [{ unit: 'pages', perDay: 0 }, 'quotas: options.perDay must be a whole number from 1 to 1000000.', 'OQ100'],
  [{}, "quotas: options.unit is missing: it must be 'requests' or 'pages'.", 'OQ102'],
] as const;

test('a wrong option is an error at startup that names it, and what it must be', () =>
  everyRow(WRONG, ([given, message, code]) => {
    // As from JavaScript.
    const options = given as unknown as QuotaOptions;
    expect(() => quotas(options)).toThrow(expect.objectContaining({ name: 'TypeError', message, code }));
  }));
