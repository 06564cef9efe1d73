import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './daemon.js';
import { until } from './redis.js';

const VARIABLE = 'ENGINE_TEMPLATES';

/** The global set-up of these suites: a folder for what all of them start with. */
export function setup(): () => void {
  const folder = temporaryDirectory();
  // Of the user as whom the servers run, too.
  chmodSync(folder, 0o777);
  process.env[VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true });
}

/** The data of a new server, at this path. They are made once for all suites, and copied. */
export async function newData(name: string, path: string, make: (path: string) => Promise<unknown>): Promise<void> {
  const folder = process.env[VARIABLE];
  if (folder === undefined) return void (await make(path));
  const template = join(folder, name);
  const ready = `${template}.ready`;
  if (isFirst(`${template}.made`)) {
    await make(template);
    writeFileSync(ready, '');
  }
  await until(async () => existsSync(ready), `${template} is not ready`);
  await promisify(execFile)('cp', ['-a', template, path]);
}

function isFirst(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}
