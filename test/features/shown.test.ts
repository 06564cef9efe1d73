import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

test('docs/features.md shows the features and the test of this folder as they are, and none is long', () =>
  everyRow(
    ['tenants.ts', 'quotas.ts', 'titles.ts', 'notes.ts', 'tickets.ts', 'tickets.test.ts'].map(
      (file) => [file] as const,
    ),
    ([file]) => {
      const source = read(file);
      expect(read('../../docs/features.md')).toContain(`\`\`\`ts file=${file}\n${source}\`\`\``);
      expect(source.trim().split('\n').length).toBeLessThanOrEqual(40);
    },
  ));
