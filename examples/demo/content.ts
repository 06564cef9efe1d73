import { createHash } from 'node:crypto';
import {
  createReadStream,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentQuery } from 'oauth-query/content';
import { markdownFolder, NoParser, TooManyFiles } from 'oauth-query/content/markdown';
import {
  BrokenExport,
  ContentDatabase,
  importExport,
  type ImportOptions,
  NoDriver,
  SCHEMA_VERSION,
} from 'oauth-query/content/mediawiki-export';
import type { QueryOptions } from 'oauth-query/query';
import { siteQuery } from '../site/index.js';
import { Complaint } from './complaint.js';
import { ENVIRONMENT, type Wording } from './wording.js';

const SAMPLE = fileURLToPath(new URL('../site/sample.xml', import.meta.url));
const FOLDER = '.data';

/** The content of the demo. */
export interface DemoContent {
  readonly query: QueryOptions;
  /** Serves the images of a folder, below `/files/`. */
  readonly files?: RequestListener;
  close(): Promise<void>;
}

/**
 * Opens a folder of Markdown files, or an export: by default the sample, `-` for standard input. An export is imported
 * once; its database is then found by a name derived from the file's path, size and time.
 *
 * @throws Complaint if it cannot be used.
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
      throw new Complaint(`${error.message} For example: ${wording.install(['markdown-it', 'js-yaml'])}`);
    }
    throw error;
  }
};

const openFolder = async (folder: string): Promise<DemoContent> => {
  const docs = await markdownFolder(folder, { onProblem: (sentence) => console.warn(`Warning: ${sentence}`) });
  const { files: filesOf = () => [], close } = docs;
  const sendFile = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [, path = ''] = /^\/files\/([^?]*)/.exec(req.url ?? '') ?? [];
    try {
      const name = decodeURIComponent(path);
      const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
      // Only files that the folder was found to have are opened.
      const [file] = await filesOf([title], { signal: AbortSignal.timeout(1_000) });
      if (file?.url !== `/files/${path}`) throw new Error('There is no such file.');
      // An SVG image may contain scripts.
      const headers = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };
      res.writeHead(200, { 'content-type': file.mime, ...headers });
      createReadStream(join(folder, name))
        .on('error', () => res.destroy())
        .pipe(res);
    } catch {
      res.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
    }
  };
  return { query: contentQuery(docs), files: (req, res) => void sendFile(req, res), close };
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

/** A pipe cannot be read again, so its database belongs to this process; a later process removes it. */
const readInput = async (): Promise<ContentDatabase> => {
  mkdirSync(FOLDER, { recursive: true });
  removeAbandoned();
  const file = join(FOLDER, `site-input.${process.pid}.part`);
  for (const end of ENDS) rmSync(file + end, { force: true });
  const database = new ContentDatabase(file);
  await importExport(database, process.stdin, { onProgress: progressLine() });
  return database;
};

/** Builds under a temporary name; if several processes build the same database, the first one wins. */
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

/** In WAL mode, a database has up to three files. */
const ENDS = ['', '-wal', '-shm'];

/** Continues the draft of a process that was stopped. */
const adopt = (target: string, draft: string): void => {
  const abandoned = readdirSync(FOLDER)
    .map((name) => join(FOLDER, name))
    .find((path) => path.startsWith(`${target}.`) && path.endsWith('.part') && !isRunning(pidOf(path)));
  if (abandoned === undefined) return;
  // The main file is renamed last, so that it is never found without its log.
  for (const end of ENDS.toReversed()) if (isThere(abandoned + end)) renameSync(abandoned + end, draft + end);
};

const pidOf = (path: string): number => Number(/\.(\d+)\.part/.exec(path)?.[1]);

/** Removes the drafts of processes that were stopped. */
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

/** Shows the progress of an import, in one line on a terminal, after the first second. */
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
