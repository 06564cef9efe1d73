import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { QueryOptions } from 'oauth-query';
import { contentQuery } from 'oauth-query/content';
import {
  BrokenExport,
  ContentDatabase,
  importExport,
  type ImportOptions,
  NoDriver,
  SCHEMA_VERSION,
} from 'oauth-query/content/mediawiki-export';
import { NoParser, openMarkdown, TooManyFiles } from 'oauth-query/content/markdown';
import { siteQuery } from '../site/index.js';
import { Complaint } from './complaint.js';
import { ENVIRONMENT, type Wording } from './wording.js';

const SAMPLE = fileURLToPath(new URL('../site/sample.xml', import.meta.url));
const FOLDER = '.data';

/** What the demo serves. */
export interface DemoContent {
  readonly query: QueryOptions;
  close(): Promise<void>;
}

/**
 * Opens a folder of Markdown files, or an export: the one that comes with the demo by default, `-` for the standard input. An export
 * is read once: after that its database is there, under a name that follows from the file's path, size and time.
 *
 * @throws Complaint when it cannot be used.
 */
export const openContent = async (file: string = SAMPLE, wording: Wording = ENVIRONMENT): Promise<DemoContent> => {
  try {
    if (file !== '-' && statSync(file, { throwIfNoEntry: false })?.isDirectory()) return await openFolder(file);
    const database = await openExport(file);
    return { query: siteQuery(database), close: async () => database.close() };
  } catch (error) {
    if (error instanceof BrokenExport || error instanceof TooManyFiles) throw new Complaint(error.message);
    if (error instanceof NoDriver) throw new Complaint(`${error.message} For example: ${wording.install(['libsql'])}`);
    if (error instanceof NoParser) {
      const driver = process.getBuiltinModule('node:sqlite') === undefined ? ['libsql'] : [];
      const command = wording.install(['markdown-it', 'js-yaml', ...driver]);
      throw new Complaint(`${error.message} For example: ${command}`);
    }
    throw error;
  }
};

const openFolder = async (folder: string): Promise<DemoContent> => {
  mkdirSync(FOLDER, { recursive: true });
  const docs = await openMarkdown(folder, {
    database: databaseOf(folder, [SCHEMA_VERSION, realpathSync(folder)]),
    onProblem: (sentence) => console.warn(`Warning: ${sentence}`),
  });
  return { query: contentQuery(docs.source), close: () => docs.close() };
};

const openExport = async (file: string): Promise<ContentDatabase> => {
  if (file === '-') return readInput();
  const database = databaseFor(file);
  return new ContentDatabase(isThere(database) ? database : await build(file, database));
};

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

const databaseFor = (file: string): string => {
  if (!isThere(file)) throw new Complaint(`${file} cannot be read: the file does not exist.`);
  const { size, mtimeMs } = statSync(file);
  return databaseOf(file, [SCHEMA_VERSION, realpathSync(file), size, mtimeMs]);
};

/** A name for the database of a file, which changes with its identity. */
const databaseOf = (file: string, identity: readonly (string | number)[]): string => {
  const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12);
  return join(FOLDER, `site-${basename(file).replace(/[^\w.-]/g, '_')}-${key}.db`);
};

/** What comes through a pipe cannot be read again, so its database is of this process alone; a later one removes it. */
const readInput = async (): Promise<ContentDatabase> => {
  mkdirSync(FOLDER, { recursive: true });
  removeAbandoned();
  const file = join(FOLDER, `site-input.${process.pid}.part`);
  for (const end of ENDS) rmSync(file + end, { force: true });
  const database = new ContentDatabase(file);
  await importExport(database, process.stdin, { onProgress: progressLine() });
  return database;
};

/** Under another name until it is complete; who finishes first while several build the same is the one that counts. */
const build = async (file: string, target: string): Promise<string> => {
  mkdirSync(FOLDER, { recursive: true });
  const draft = `${target}.${process.pid}.part`;
  adopt(target, draft);
  removeAbandoned();
  const database = new ContentDatabase(draft);
  try {
    await importExport(database, file, { onProgress: progressLine() });
    database.flush();
    linkSync(draft, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    database.close();
    for (const end of ENDS) rmSync(draft + end, { force: true });
  }
  return target;
};

/** A database in SQLite's log mode is up to three files. */
const ENDS = ['', '-wal', '-shm'];

/** Goes on with the draft of a program that was ended: what it has read need not be read again. */
const adopt = (target: string, draft: string): void => {
  const abandoned = readdirSync(FOLDER)
    .map((name) => join(FOLDER, name))
    .find((path) => path.startsWith(`${target}.`) && path.endsWith('.part') && !isRunning(pidOf(path)));
  if (abandoned === undefined) return;
  // Last comes the file itself: who finds no log beside it finds what was complete.
  for (const end of ENDS.toReversed()) if (isThere(abandoned + end)) renameSync(abandoned + end, draft + end);
};

const pidOf = (path: string): number => Number(/\.(\d+)\.part/.exec(path)?.[1]);

/** Removes the drafts of programs that were ended before theirs was complete. */
const removeAbandoned = (): void => {
  for (const name of readdirSync(FOLDER)) {
    const isDraft = /^site-.*\.\d+\.part(?:-wal|-shm)?$/.test(name);
    if (isDraft && !isRunning(pidOf(name))) rmSync(join(FOLDER, name), { force: true });
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
    const share =
      totalBytes === undefined ? `${Math.floor(bytes / 2 ** 20)} MB` : `${Math.floor((100 * bytes) / totalBytes)} %`;
    const perSecond = Math.round((1_000 * pages) / Math.max(1, now - started));
    const line = `Reading the export: ${share}, ${pages} pages, ${perSecond} a second`;
    stderr.write(stderr.isTTY ? `\r${line}\u001b[K${last ? '\n' : ''}` : `${line}\n`);
  };
};
