/**
 * The public declarations. The compiler writes a file per source with all declarations; of these, this keeps those that
 * the entry points export, and those that they use.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, type Comment, type Directive, type Program, type Statement } from 'oxc-parser';

/** The used fields of package.json. */
export interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/** The origin of a name: a name of another file, where `*` stands for all names. */
interface Origin {
  readonly from: string;
  readonly name: string;
}

interface Part {
  readonly node: Statement | Directive;
  /** The statement with its leading comments. */
  readonly start: number;
  kept: boolean;
}

interface Source {
  readonly text: string;
  readonly comments: readonly Comment[];
  readonly parts: readonly Part[];
  /** The declarations in the file. */
  readonly declared: ReadonlyMap<string, readonly Part[]>;
  readonly imported: ReadonlyMap<string, Origin>;
  readonly exported: ReadonlyMap<string, Origin>;
  /** The needed imports and exports. */
  readonly needed: Set<string>;
}

/** A declaration file as published, and without its comments and imports for comparisons. */
export interface DeclarationFile {
  readonly text: string;
  readonly bare: string;
}

const HERE = '';

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  node.name ?? String(node.value);

const isRelative = (specifier: string): boolean => specifier.startsWith('.');

/** Every identifier in a syntax tree, except names of members. */
function identifiersIn(node: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(node)) for (const child of node) identifiersIn(child, found);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return found;
  const { type, name, computed, ...rest } = node as Readonly<Record<string, unknown>>;
  if (type === 'TSImportType')
    throw new Error('A declaration has an import() type. Import the name at the top of the file instead.');
  if (type === 'Identifier' && typeof name === 'string') found.add(name);
  for (const [field, child] of Object.entries(rest)) {
    if (field !== 'key' || computed === true) identifiersIn(child, found);
  }
  return found;
}

/** The names that a statement declares, with or without `export`. */
function declaredBy(node: Statement | Directive): readonly string[] {
  if (node.type === 'ExportNamedDeclaration') return node.declaration === null ? [] : declaredBy(node.declaration);
  if (node.type === 'VariableDeclaration') {
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  }
  return 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : [];
}

const isAugmentation = (node: Statement | Directive): boolean =>
  node.type === 'TSModuleDeclaration' && (node.id.type === 'Literal' || node.global);

function read(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const { program, comments }: { program: Program; comments: Comment[] } = parseSync(path, text, { lang: 'dts' });
  const declared = new Map<string, Part[]>();
  const imported = new Map<string, Origin>();
  const exported = new Map<string, Origin>();
  const parts = program.body.map((node, index): Part => {
    const part = { node, start: program.body[index - 1]?.end ?? 0, kept: false };
    for (const name of declaredBy(node)) {
      declared.set(name, [...(declared.get(name) ?? []), part]);
      if (node.type === 'ExportNamedDeclaration') exported.set(name, { from: HERE, name });
    }
    if (node.type === 'ImportDeclaration') {
      for (const specifier of node.specifiers) {
        const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*';
        imported.set(specifier.local.name, { from: node.source.value, name });
      }
    }
    if (node.type === 'ExportNamedDeclaration') {
      for (const { local, exported: as } of node.specifiers) {
        exported.set(nameOf(as), { from: node.source?.value ?? HERE, name: nameOf(local) });
      }
    }
    if (node.type === 'ExportAllDeclaration') throw new Error(`${path} has \`export *\`. Export names instead.`);
    return part;
  });
  return { text, comments, parts, declared, imported, exported, needed: new Set() };
}

/** Keeps needed declarations, and the declarations that they need. */
class Walk {
  readonly files = new Map<string, Source>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** @param name - `*` for all names. */
  needExport(path: string, name: string): void {
    const source = this.#open(path);
    const wanted = name === '*' ? [...source.exported.keys()] : [name];
    for (const one of wanted) {
      const origin = source.exported.get(one);
      if (origin === undefined) throw new Error(`${path} does not export ${one}.`);
      if (source.needed.has(`export ${one}`)) continue;
      source.needed.add(`export ${one}`);
      if (origin.from === HERE) this.#needLocal(path, source, origin.name);
      else this.#follow(path, origin);
    }
  }

  #needLocal(path: string, source: Source, name: string): void {
    for (const part of source.declared.get(name) ?? []) this.#keep(path, source, part);
    const origin = source.imported.get(name);
    if (origin === undefined || source.needed.has(`import ${name}`)) return;
    source.needed.add(`import ${name}`);
    this.#follow(path, origin);
  }

  #keep(path: string, source: Source, part: Part): void {
    if (part.kept) return;
    part.kept = true;
    for (const name of identifiersIn(part.node)) this.#needLocal(path, source, name);
  }

  #follow(path: string, { from, name }: Origin): void {
    if (!isRelative(from)) return;
    this.needExport(posix.join(posix.dirname(path), from.replace(/\.js$/, '.d.ts')), name);
  }

  #open(path: string): Source {
    const known = this.files.get(path);
    if (known !== undefined) return known;
    const source = read(join(this.#root, path));
    this.files.set(path, source);
    // Module augmentations apply as soon as the file is read.
    for (const part of source.parts) if (isAugmentation(part.node)) this.#keep(path, source, part);
    return source;
  }
}

/** An import or export list with only the needed names; nothing if there are none. */
function shortened({ text, needed }: Source, node: Statement | Directive, start: number): string {
  if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') return '';
  if (node.type === 'ImportDeclaration' && node.specifiers.length === 0) return text.slice(start, node.end);
  const wanted = node.specifiers.filter((specifier) =>
    needed.has('exported' in specifier ? `export ${nameOf(specifier.exported)}` : `import ${specifier.local.name}`),
  );
  if (wanted.length === 0) return '';
  if (wanted.length === node.specifiers.length) return text.slice(start, node.end);
  const isType = node.type === 'ImportDeclaration' ? node.importKind === 'type' : node.exportKind === 'type';
  const word = node.type === 'ImportDeclaration' ? 'import' : 'export';
  const names = wanted.map((specifier) => text.slice(specifier.start, specifier.end)).join(', ');
  return `\n${word}${isType ? ' type' : ''} { ${names} }${node.source ? ` from ${text.slice(node.source.start, node.source.end)}` : ''};`;
}

/** Text without these comments, and without the lines that become empty. */
function withoutComments(text: string, offset: number, comments: readonly Comment[]): string {
  const inside = comments.filter(({ start, end }) => start >= offset && end <= offset + text.length);
  return inside.toReversed().reduce((rest, { start, end }) => {
    const before = rest.slice(0, start - offset).trimEnd();
    return before + rest.slice(end - offset);
  }, text);
}

function written(source: Source): DeclarationFile {
  const pieces: string[] = [];
  const bare: string[] = [];
  for (const { node, start, kept } of source.parts) {
    const text = kept ? source.text.slice(start, node.end) : shortened(source, node, start);
    if (text === '') continue;
    pieces.push(text);
    if (kept) bare.push(withoutComments(text, start, source.comments).trim());
  }
  const isModule = source.parts.some(
    ({ node, kept }) => (kept || shortened(source, node, 0) !== '') && /^(Import|Export)/.test(node.type),
  );
  return { text: `${pieces.join('').trim()}\n${isModule ? '' : 'export {};\n'}`, bare: bare.join('\n') };
}

/** The declaration files in package.json, relative to `dist`. */
export const entryDeclarations = ({ exports }: Manifest): readonly string[] =>
  Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.types.slice('./dist/'.length)],
  );

/** Runs the compiler, with further flags, to write the declarations of all sources into a folder. */
export const emitDeclarations = (root: string, folder: string, flags: readonly string[] = []): void => {
  const compiler = 'node_modules/typescript/bin/tsc';
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', folder, ...flags], {
    cwd: root,
    stdio: 'inherit',
  });
};

/**
 * The public part of a folder of declarations, by path.
 *
 * @param entries - The declaration files of the entry points, relative to the folder.
 */
export function publicDeclarations(folder: string, entries: readonly string[]): ReadonlyMap<string, DeclarationFile> {
  const walk = new Walk(folder);
  for (const entry of entries) walk.needExport(entry, '*');
  const sorted = [...walk.files].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.map(([path, source]) => [path, written(source)]));
}
