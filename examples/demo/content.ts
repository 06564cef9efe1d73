import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrokenExport, Database, importExport, type ImportOptions, NoDriver } from '../site/index.js';
import { SCHEMA_VERSION } from '../site/schema.js';
import { Complaint } from './complaint.js';
import { ENVIRONMENT, type Wording } from './wording.js';

const SAMPLE = fileURLToPath(new URL('../site/sample.xml', import.meta.url));
const FOLDER = '.data';

/**
 * Opens the content of an export, the one that comes with the demo unless another is named. An export is read once: after
 * that its database is there, under a name that follows from the file's path, size and time.
 *
 * @throws Complaint when the file cannot be used.
 */
export const openContent = async (file: string = SAMPLE, wording: Wording = ENVIRONMENT): Promise<Database> => {
  const database = databaseFor(file);
  try {
    return new Database(isThere(database) ? database : await build(file, database));
  } catch (error) {
    if (error instanceof BrokenExport) throw new Complaint(error.message);
    if (error instanceof NoDriver) throw new Complaint(`${error.message} For example: ${wording.driver}`);
    throw error;
  }
};

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

const databaseFor = (file: string): string => {
  if (!isThere(file)) throw new Complaint(`${file} cannot be read: there is no such file.`);
  const { size, mtimeMs } = statSync(file);
  const identity = JSON.stringify([SCHEMA_VERSION, realpathSync(file), size, mtimeMs]);
  const key = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  return join(FOLDER, `site-${basename(file).replace(/[^\w.-]/g, '_')}-${key}.db`);
};

/** Under another name until it is complete; who finishes first while several build the same is the one that counts. */
const build = async (file: string, target: string): Promise<string> => {
  mkdirSync(FOLDER, { recursive: true });
  removeAbandoned();
  const draft = `${target}.${process.pid}.part`;
  const database = new Database(draft);
  try {
    await importExport(database, file, { onProgress: progressLine() });
    database.flush();
    linkSync(draft, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    database.close();
    for (const end of ['', '-wal', '-shm']) rmSync(draft + end, { force: true });
  }
  return target;
};

/** Removes the drafts of programs that were ended before theirs was complete. */
const removeAbandoned = (): void => {
  for (const name of readdirSync(FOLDER)) {
    const [, pid] = /^site-.*\.(\d+)\.part(?:-wal|-shm)?$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(FOLDER, name), { force: true });
  }
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Says how far the import has come, on a terminal in one line, from the first second on. */
const progressLine = (): NonNullable<ImportOptions['onProgress']> => {
  const started = Date.now();
  let told = started;
  const { stderr } = process;
  return ({ bytes, totalBytes, pages }) => {
    const now = Date.now();
    const last = bytes === totalBytes && told > started;
    if (now - told < 1_000 && !last) return;
    told = now;
    const percent = Math.floor((100 * bytes) / totalBytes);
    const perSecond = Math.round((1_000 * pages) / Math.max(1, now - started));
    const line = `Reading the export: ${percent} %, ${pages} pages, ${perSecond} a second`;
    stderr.write(stderr.isTTY ? `\r${line}\u001b[K${last ? '\n' : ''}` : `${line}\n`);
  };
};
