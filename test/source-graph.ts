import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ModuleExportName, parseSync, Visitor } from 'oxc-parser';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** One name that a file takes from somewhere else. */
export interface Edge {
  /** Path below `src`, such as `core/server/server.ts`. */
  readonly from: string;
  /**
   * A file (`core/base/http/messages.ts`) or what a package or a part of Node exports (`node:crypto#hash`), with `type ` in front
   * where nothing of it is left at run time.
   */
  readonly to: string;
}

/** A parsed file of `src`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly edges: readonly Edge[];
  /** What the file takes from the world around it without an import, such as `Date.now`. */
  readonly ambient: readonly string[];
}

const TIMERS: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'setImmediate']);

/** Reads one file's text the way {@link sourceFiles} reads those of `src`. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text, { lang: 'ts' });
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]?.message}`);
  const to: string[] = [];
  const add = (specifier: string, name: string, typeOnly: boolean): void => {
    const target = specifier.startsWith('.')
      ? posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts')
      : specifier + (name === '' ? '' : `#${name}`);
    to.push((typeOnly ? 'type ' : '') + target);
  };
  const ambient: string[] = [];
  new Visitor({
    ImportDeclaration({ source, specifiers, importKind }) {
      // A statement whose names are all marked `type` one by one still loads the file; `import type` does not.
      if (importKind !== 'type') add(source.value, '', false);
      for (const specifier of specifiers) {
        const typeOnly =
          importKind === 'type' || (specifier.type === 'ImportSpecifier' && specifier.importKind === 'type');
        add(source.value, specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*', typeOnly);
      }
    },
    ExportNamedDeclaration({ source, specifiers, exportKind }) {
      if (source === null) return;
      for (const { local, exportKind: own } of specifiers) {
        add(source.value, nameOf(local), exportKind === 'type' || own === 'type');
      }
    },
    ExportAllDeclaration: ({ source, exportKind }) => add(source.value, '*', exportKind === 'type'),
    ImportExpression: ({ source }) => add(source.type === 'Literal' ? String(source.value) : '(computed)', '*', false),
    TSImportType: ({ source }) => add(source.value, '*', true),
    TSExternalModuleReference: ({ expression }) => add(expression.value, '*', false),
    TSModuleDeclaration: ({ id }) => {
      if (id.type === 'Literal') add(id.value, '*', true);
    },
    MemberExpression: ({ object, property }) => {
      if (property.type !== 'Identifier') return;
      if (object.type === 'Identifier') ambient.push(`${object.name}.${property.name}`);
    },
    Identifier: ({ name }) => {
      if (TIMERS.has(name)) ambient.push(name);
    },
    NewExpression: ({ callee, arguments: args }) => {
      if (callee.type === 'Identifier' && args.length === 0) ambient.push(`new ${callee.name}()`);
    },
  }).visit(program);
  return { path, text, edges: [...new Set(to)].map((target) => ({ from: path, to: target })), ambient };
}

const nameOf = (name: ModuleExportName): string => (name.type === 'Literal' ? name.value : name.name);

/** Every TypeScript file of `src`. */
export function sourceFiles(): readonly SourceFile[] {
  const src = join(root, 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => parseSource(name.split(sep).join('/'), readFileSync(join(src, name), 'utf8')));
}

/** Every file that is loaded, directly or not, when `entry` is. Types are not followed: they are gone at run time. */
export function loadedBy(entry: string, files: readonly SourceFile[]): ReadonlySet<string> {
  const edges = new Map(files.map((file) => [file.path, file.edges]));
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { to } of edges.get(path) ?? []) if (!to.startsWith('type ')) loaded.add(to);
  }
  return loaded;
}

/** The files of one circle of imports in their order, the first one again at the end; `undefined` where there is none. */
export function circleOf(files: readonly SourceFile[]): readonly string[] | undefined {
  const targets = new Map(files.map(({ path, edges }) => [path, edges.map(({ to }) => to.replace(/^type /, ''))]));
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const to of targets.get(path) ?? []) {
      const circle = targets.has(to) ? visit(to, [...way, path]) : undefined;
      if (circle) return circle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of files) {
    const circle = visit(path, []);
    if (circle) return circle;
  }
  return undefined;
}

/**
 * The exports of `src` that nothing takes: no other file by its relative path, as the tests and tools do, and no public entry.
 *
 * @param files - Paths below the repository, and texts.
 * @param entries - Their exports are public.
 */
export function unusedExports(
  files: readonly { readonly path: string; readonly text: string }[],
  entries: ReadonlySet<string>,
): readonly string[] {
  const taken = new Set<string>();
  const offered: { readonly path: string; readonly name: string }[] = [];
  for (const { path, text } of files) {
    const { program, module } = parseSync(path, text, { lang: 'ts' });
    const take = (specifier: string, name: string | null): void => {
      if (!specifier.startsWith('.')) return;
      taken.add(`${posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts')}#${name ?? '*'}`);
    };
    for (const { moduleRequest, entries: names } of module.staticImports)
      for (const { importName } of names) take(moduleRequest.value, importName.name);
    for (const { exportName, importName, moduleRequest } of module.staticExports.flatMap((one) => one.entries)) {
      if (moduleRequest !== null) take(moduleRequest.value, importName.name);
      if (path.startsWith('src/') && exportName.name !== null) offered.push({ path, name: exportName.name });
    }
    new Visitor({
      ImportExpression: ({ source }) => {
        if (source.type === 'Literal') take(String(source.value), null);
      },
      TSImportType: ({ source }) => take(source.value, null),
    }).visit(program);
  }
  return offered
    .filter(({ path, name }) => !entries.has(path) && !taken.has(`${path}#${name}`) && !taken.has(`${path}#*`))
    .map(({ path, name }) => `${path} ${name}`);
}

/** TypeScript files below a folder of the repository. What is installed or built there is not: an installed package may be a link to the repository. */
const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesBelow(path);
    return /(?<!\.d)\.ts$/.test(entry.name) ? [path] : [];
  });

/** Every TypeScript file of the repository that may import from `src`. */
export const repositoryFiles = (): readonly { readonly path: string; readonly text: string }[] =>
  ['src', 'sandbox', 'tools', 'test', 'examples', 'bench']
    .flatMap(filesBelow)
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
