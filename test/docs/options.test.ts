import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { ROOT } from './documents.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The fields of an interface, as its source has them. */
function fieldsOf(path: string, name: string): readonly string[] {
  const { program } = parseSync(path, read(path), { lang: 'ts' });
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'TSInterfaceDeclaration' || declared.id.name !== name) continue;
    return declared.body.body.flatMap((member) =>
      member.type === 'TSPropertySignature' && member.key.type === 'Identifier' ? [member.key.name] : [],
    );
  }
  throw new Error(`${path} has no interface ${name}.`);
}

test('each guide explains every option that it is about', () =>
  everyRow(
    [
      ['docs/guard.md', 'src/resource-server/introspection-options.ts', 'IntrospectionVerifierOptions'],
      ['docs/guard.md', 'src/resource-server/introspection-options.ts', 'IntrospectionCredentials'],
      ['docs/guard.md', 'src/resource-server/jwt-verifier.ts', 'JwtVerifierOptions'],
      ['docs/guard.md', 'src/resource-server/option-checks.ts', 'CommonOptions'],
    ],
    ([document, source, name]) => {
      const fields = fieldsOf(source, name);
      expect(fields.length).toBeGreaterThan(1);
      const text = read(document);
      // In a table or a sentence as code, alone or as the last part of a path such as `lifetimes.session`.
      expect(
        fields.filter((field) => !new RegExp(`[\`.]${field}\\b`).test(text) && !text.includes(`${field}:`)),
      ).toEqual([]);
    },
  ));

test('docs/operations.md names every event', () => {
  const sources = ['src/core/oauth/events/events.ts', 'src/core/base/limits/limit-reached.ts'].map(read).join('');
  const types = [...sources.matchAll(/readonly type: '([^']+)'/g)].map(([, type = '']) => type);
  expect(types.length).toBeGreaterThan(10);
  const text = read('docs/operations.md');
  expect(types.filter((type) => !text.includes(`\`${type}\``))).toEqual([]);
});
