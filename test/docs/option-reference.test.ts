import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RESOURCE_DEFINITION } from '../../src/core/base/resource-metadata.js';
import type { Table } from '../../src/core/base/schema.js';
import { CLIENT_FIELDS } from '../../src/core/oauth/clients/client-fields.js';
import { USER_FIELDS } from '../../src/core/oauth/sign-in/users.js';
import { QUERY_OPTIONS } from '../../src/core/query/option-table.js';
import { SCOPE_FIELDS, SERVER_OPTIONS } from '../../src/core/server/options/server-table.js';
import { OPENID_OPTIONS } from '../../src/features/openid/options.js';
import { MCP_OPTIONS } from '../../src/mcp/options.js';
import { optionReference } from '../../tools/option-reference.js';
import { ROOT } from './documents.js';

const committed = readFileSync(join(ROOT, 'docs/options.md'), 'utf8');

test('docs/options.md is what `npm run reference` writes', async () => {
  expect(await optionReference()).toBe(committed);
});

test('it has an item for each option of the tables', () => {
  const rows = committed.split('\n').filter((line) => line.startsWith('- `'));
  const counted = new Set<Table>();
  const pathsOf = (fields: Table): number => {
    // Options with the same table share its rows.
    if (counted.has(fields)) return 0;
    counted.add(fields);
    return Object.entries(fields).reduce((sum, [name, field]) => {
      // Handlers are named after the modules of the catalogue, which the help describes.
      return sum + 1 + (field.fields && name !== 'modules' ? pathsOf(field.fields) : 0);
    }, 0);
  };
  const fields = [CLIENT_FIELDS, SCOPE_FIELDS, RESOURCE_DEFINITION, USER_FIELDS].flatMap((table) => Object.keys(table));
  const options = [SERVER_OPTIONS, QUERY_OPTIONS, MCP_OPTIONS, OPENID_OPTIONS].reduce(
    (sum, table) => sum + pathsOf(table),
    0,
  );
  expect(rows).toHaveLength(options + fields.length);
  // An option exists because somebody was seen to need it: a new one takes the place of another, or a constant does.
  expect(options).toBeLessThanOrEqual(113);
});
