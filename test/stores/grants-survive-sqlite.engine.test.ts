import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from './engines/daemon.js';
import { grantsSurvive, OUTAGE_SECONDS } from './engines/grants-survive.js';
import { noSqlite, startHolder } from './engines/sqlite.js';

grantsSurvive(
  'SQLite',
  noSqlite,
  async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'records.db');
    return { file, address: `sqlite:${file}`, remove: () => rmSync(directory, { recursive: true }) };
  },
  {
    'locked by another process': async ({ file }) => {
      const holder = await startHolder(file);
      await sleep(OUTAGE_SECONDS * 1_000);
      await holder.release();
    },
  },
);
