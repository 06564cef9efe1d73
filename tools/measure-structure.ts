import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, type Program } from 'oxc-parser';
import { loadedBy, type SourceFile, sourceFiles } from '../test/source-graph.js';
import type { Manifest } from './declarations.js';

/** Figures about the source: what an auditor must read, and how much each part of the server depends on. */

const DOCUMENT = new URL('../docs/audit.md', import.meta.url);

const manifest: Pick<Manifest, 'exports'> = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** Lines that are neither blank nor comment. */
const codeLines = ({ path, text }: SourceFile): number => {
  const { comments } = parseSync(path, text, { lang: 'ts' });
  let code = text;
  for (const { start, end } of comments)
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, ' ') + code.slice(end);
  return code.split('\n').filter((line) => line.trim() !== '').length;
};

/** What is read for some entries: all files that they load, whether at once or later. */
export interface Audit {
  readonly entries: string;
  readonly files: number;
  readonly lines: number;
}

/** The entries of the package, and their files. */
const entryPaths = (): readonly (readonly [name: string, path: string])[] =>
  Object.entries(manifest.exports).flatMap(([name, target]): readonly (readonly [string, string])[] => {
    if (typeof target === 'string') return [];
    return [[name.replace(/^\./, 'oauth-query'), target.default.replace('./dist/', '').replace(/js$/, 'ts')]];
  });

const SERVER = ['oauth-query/express', 'oauth-query/stores/redis'];

/** The files that entries load. */
const loadedByAll = (entries: readonly string[], files: readonly SourceFile[]): readonly SourceFile[] => {
  const pathOf = new Map(entryPaths());
  const loaded = new Set(entries.flatMap((name) => [...loadedBy(pathOf.get(name) ?? '', files)]));
  return files.filter(({ path }) => loaded.has(path));
};

const sumOfLines = (files: readonly SourceFile[], lines: ReadonlyMap<string, number>): number =>
  files.reduce((sum, { path }) => sum + (lines.get(path) ?? 0), 0);

const linesOfAll = (files: readonly SourceFile[]): ReadonlyMap<string, number> =>
  new Map(files.map((file) => [file.path, codeLines(file)]));

/** Each public entry; first a login server with a store. */
export const audits = (files: readonly SourceFile[]): readonly Audit[] => {
  const lines = linesOfAll(files);
  return [SERVER, ...entryPaths().map(([name]) => [name])].map((entries) => {
    const loaded = loadedByAll(entries, files);
    return { entries: entries.join(' + '), files: loaded.length, lines: sumOfLines(loaded, lines) };
  });
};

/** Why a login server loads a folder. */
const REASONS: Readonly<Record<string, string>> = {
  adapters: 'The routes of Express, requests and responses of Node, defaults of options',
  'core/base': 'Bodies, headers, CORS, limits, deadlines, checks of options and records, errors, pages in English',
  'core/feature': 'The port of features, which every server checks at the start',
  'core/oauth/clients':
    'Validation of every registration, secrets, redirect URIs; also what clients say about themselves',
  'core/oauth/code': 'The authorization endpoint and the code grant',
  'core/oauth/device': 'The device flow: a grant that `options.grants` enables',
  'core/oauth/facts': 'Limits, resources and parameters that all endpoints share',
  'core/oauth/kernel': 'Authentication of clients and the rules of every grant',
  'core/oauth/keys': 'Keys and signatures of JWT access tokens: `options.jwt`',
  'core/oauth/metadata': 'The metadata document and the public keys',
  'core/oauth/owners': 'Ending, listing, exporting and erasing what an owner has; the page of connected applications',
  'core/oauth/pages': 'Consent, sign-in, account and error pages',
  'core/oauth/records': 'Shapes of the records in the store',
  'core/oauth/sign-in': 'The built-in sign-in: `options.users`',
  'core/oauth/token': 'The token, introspection and revocation endpoints; the password grant; grants of features',
  'core/oauth/tokens': 'Codes, access and refresh tokens, rotation and replay',
  'core/server': 'Options, start, guards, dispatch of requests, and what features get',
  outbound: 'Requests to public addresses, for features and published keys. Loaded with the first such request',
  stores: 'The store for Redis',
};

/** A folder that a login server loads. */
export interface FolderAudit extends Audit {
  /** Absent if `REASONS` has no row for it. */
  readonly why: string | undefined;
}

/** A login server with a store, by folder; `core/oauth` by the folders in it. */
export const foldersOfServer = (files: readonly SourceFile[]): readonly FolderAudit[] => {
  const lines = linesOfAll(files);
  const folderOf = ({ path }: SourceFile): string => /^core\/oauth\/[^/]+|^core\/[^/]+|^[^/]+/.exec(path)?.[0] ?? '';
  const loaded = loadedByAll(SERVER, files);
  return [...new Set(loaded.map(folderOf))]
    .map((entries) => {
      const found = loaded.filter((file) => folderOf(file) === entries);
      return { entries, files: found.length, lines: sumOfLines(found, lines), why: REASONS[entries] };
    })
    .toSorted((a, b) => b.lines - a.lines);
};

/** The lines of all files that a file reaches, types included. */
export const reachedByType = (entry: string, files: readonly SourceFile[]): number => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([entry]);
  for (const path of reached)
    for (const { to } of byPath.get(path)?.edges ?? []) {
      const target = to.replace(/^type /, '');
      if (byPath.has(target)) reached.add(target);
    }
  return [...reached].reduce((sum, path) => sum + (byPath.get(path)?.text.split('\n').length ?? 0), 0);
};

/** The folder of the device flow. */
export const DEVICE_ROOM = 'core/oauth/device/';

/** A name, an option or a sentence of the device flow. Not the viewport `device-width`, nor programs "on the device" of a user. */
const DEVICE_FLOW = /(?<!\bon (?:a|the) )device(?!-width)|user.?code/i;

/** The files of the core that name the device flow, in code or in a comment; those in its folder are among them. */
export const namingDevices = (files: readonly SourceFile[]): readonly string[] =>
  files.filter(({ path, text }) => path.startsWith('core/') && DEVICE_FLOW.test(text)).map(({ path }) => path);

/** The files of the core that a feature of this package imports, types included, and that are no entry of the package. */
export const innerImports = (files: readonly SourceFile[]): readonly string[] => {
  const entries = new Set(entryPaths().map(([, path]) => path));
  const found = files
    .filter(({ path }) => path.startsWith('features/'))
    .flatMap(({ edges }) => edges.map(({ to }) => to.replace(/^type /, '')))
    .filter((to) => to.endsWith('.ts') && !to.startsWith('features/') && !entries.has(to));
  return [...new Set(found)].toSorted();
};

/** The interfaces of the core whose `start` gets a host: each is a way to plug something into a server. */
export const shapesOfPlug = (files: readonly SourceFile[]): readonly string[] =>
  files
    .filter(({ path }) => path.startsWith('core/'))
    .flatMap((file) =>
      interfacesIn(file).flatMap(({ id, body }) =>
        body.body.some(
          (signature) =>
            nameOf(signature) === 'start' && /\bhost: /.test(file.text.slice(signature.start, signature.end)),
        )
          ? [`${file.path} ${id.name}`]
          : [],
      ),
    );

/** The rows of the reference of options, without the fields of clients, which registrations have. */
export const optionRows = (): number => {
  const sections = readFileSync(new URL('../docs/options.md', import.meta.url), 'utf8').split(/^## /m);
  return sections
    .filter((section) => !section.startsWith('Fields of a client'))
    .reduce((sum, section) => sum + [...section.matchAll(/^- `(?!.*: see \[)/gm)].length, 0);
};

type Statement = Program['body'][number];
type Interface = Extract<Statement, { type: 'TSInterfaceDeclaration' }>;
type Signature = Interface['body']['body'][number];

const interfacesIn = ({ path, text }: SourceFile): readonly Interface[] =>
  parseSync(path, text, { lang: 'ts' }).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return declared?.type === 'TSInterfaceDeclaration' ? [declared] : [];
  });

const nameOf = (signature: Signature): string =>
  'key' in signature && signature.key.type === 'Identifier' ? signature.key.name : '';

/** A union of names, as in `Pick<…, 'a' | 'b'>`. */
const namesIn = (text: string): readonly string[] => [...text.matchAll(/'([^']+)'/g)].flatMap(([, name]) => name ?? []);

/** The members of each interface `…Services`, with those of the data in it; a group of functions, such as what is needed of tokens, is one. */
export const serviceMembers = (files: readonly SourceFile[]): ReadonlyMap<string, number> => {
  const kernel = files.filter(({ path }) => /^core\/(oauth|server)\//.test(path));
  const found = kernel.flatMap((file) => interfacesIn(file).map((one) => ({ file, one })));
  const byName = new Map(found.map((entry) => [entry.one.id.name, entry]));
  const leaves = (signature: Signature, text: string): number => {
    if (signature.type !== 'TSPropertySignature') return 1;
    const type = signature.typeAnnotation?.typeAnnotation;
    if (type?.type === 'TSTypeLiteral') {
      const isPort = type.members.every(
        (one) =>
          one.type === 'TSMethodSignature' ||
          (one.type === 'TSPropertySignature' && /=>|Create/.test(text.slice(one.start, one.end))),
      );
      return isPort ? 1 : type.members.reduce((sum, one) => sum + leaves(one, text), 0);
    }
    const source = type === undefined ? '' : text.slice(type.start, type.end);
    if (source.startsWith('Pick<')) return namesIn(source).length;
    const entry = byName.get(source);
    return entry?.file.path.startsWith('core/oauth/kernel/') === true ? membersOf(source).size : 1;
  };
  const membersOf = (name: string): ReadonlyMap<string, number> => {
    const entry = byName.get(name);
    if (entry === undefined) return new Map([[name, 1]]);
    const { one, file } = entry;
    const inherited = one.extends.flatMap(({ start, end }): readonly (readonly [string, number])[] => {
      const source = file.text.slice(start, end);
      const picked = /^Pick<.*?, (.*)>$/s.exec(source)?.[1];
      return picked === undefined
        ? [...membersOf(source)]
        : namesIn(picked).map((member): readonly [string, number] => [member, 1]);
    });
    const own = one.body.body.map((signature) => [nameOf(signature), leaves(signature, file.text)] as const);
    return new Map([...inherited, ...own]);
  };
  const services = found.filter(({ one }) => one.id.name.endsWith('Services'));
  return new Map(
    services.map(({ one }) => [one.id.name, [...membersOf(one.id.name).values()].reduce((a, b) => a + b, 0)]),
  );
};

/** The table of the document. */
const tableOf = (rows: readonly Audit[]): string =>
  [
    '| Imported | Files | Lines of code |',
    '| --- | --- | --- |',
    ...rows.map(({ entries, files, lines }) => `| \`${entries}\` | ${files} | ${lines.toLocaleString('en')} |`),
  ].join('\n');

/** What a login server consists of, as a section of the document. */
const sectionOf = (rows: readonly FolderAudit[]): string =>
  [
    '## What an authorization server consists of',
    '',
    'The first row of the table above, by folder of `src`.',
    '',
    '| Folder | Files | Lines of code | Why it is loaded |',
    '| --- | --- | --- | --- |',
    ...rows.map(({ entries, files, lines, why = '' }) => `| \`${entries}\` | ${files} | ${lines} | ${why} |`),
  ].join('\n');

/** The rows of the table of entries in the document. */
export const writtenAudits = (): readonly Audit[] =>
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `([^`]+)` +\| (\d+) +\| ([\d,]+) +\|$/gm)].map(
    ([, entries = '', files, lines = '']) => ({
      entries,
      files: Number(files),
      lines: Number(lines.replaceAll(',', '')),
    }),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles();
  const text = readFileSync(DOCUMENT, 'utf8');
  const start = text.search(/^\| Imported/m);
  writeFileSync(DOCUMENT, `${text.slice(0, start)}${tableOf(audits(files))}\n\n${sectionOf(foldersOfServer(files))}\n`);
  const members = [...serviceMembers(files)].toSorted(([, a], [, b]) => b - a);
  console.log(Object.fromEntries(members));
  console.log(`Lines reached by type: ${reachedByType('core/oauth/code/authorization-code.ts', files)}`);
  console.log(namingDevices(files).join('\n'));
}
