import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import type { Node, Nodes, Parent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A piece of code in a document: what stands between two rows of three backticks. */
export interface Block {
  readonly document: string;
  /** Of the first line of code. */
  readonly line: number;
  /** `document:line`, as a compiler would say it. */
  readonly place: string;
  readonly lang: string;
  /** What stands behind the language, which no reader sees: `options`, `server`, `file=server.js`, `not-run: …`. */
  readonly mark: string;
  readonly code: string;
  /** Declarations that hold for this block: those that the last `<!--given:…-->` before it names. */
  readonly given: string;
}

export interface Link {
  readonly place: string;
  readonly url: string;
}

export interface Document {
  /** Below the root, such as `docs/guard.md`. */
  readonly path: string;
  readonly blocks: readonly Block[];
  readonly links: readonly Link[];
  /** Files of the repository that stand as code in a sentence. */
  readonly files: readonly string[];
  /** What a link may name behind `#`. */
  readonly anchors: ReadonlySet<string>;
}

const isParent = (node: Node): node is Parent => 'children' in node;

function* walk(node: Nodes): Generator<Nodes> {
  yield node;
  // The children of every kind of parent are nodes of the same tree.
  if (isParent(node)) for (const child of node.children) yield* walk(child as Nodes);
}

const textOf = (node: Nodes): string =>
  [...walk(node)].map((part) => (part.type === 'text' || part.type === 'inlineCode' ? part.value : '')).join('');

/** The reason why a block is neither compiled nor run; `undefined` if it is. */
export const reasonNotToRun = ({ mark }: Block): string | undefined => /^not-run: (.*)$/.exec(mark)?.[1];

/** The name of the file that a block is, for the commands after it. */
export const fileOf = ({ mark }: Block): string | undefined => /^file=(\S+)$/.exec(mark)?.[1];

/** The address at which a browser shows the block, once its user has signed in. */
export const browsedOf = ({ mark }: Block): string | undefined => /^browser=(\S+)$/.exec(mark)?.[1];

/** The declarations that a comment names: they stand next to the tests, because no reader needs them. */
const givenBy = (path: string, comment: string): string | undefined => {
  const name = /^<!--given:(\w+)-->$/.exec(comment)?.[1];
  if (name === undefined || name === 'none') return name && '';
  const file = join(ROOT, 'test/docs/given', `${basename(path, '.md')}.txt`);
  const found = `\n${readFileSync(file, 'utf8')}`.split(/\n## (?=\w+\n)/).find((part) => part.startsWith(`${name}\n`));
  if (found === undefined) throw new Error(`${path}: ${comment} is not in ${file}.`);
  return found.slice(name.length + 1);
};

export function parseDocument(path: string, text: string): Document {
  const blocks: Block[] = [];
  const links: Link[] = [];
  const files: string[] = [];
  const anchors = new Set<string>();
  const slugger = new GithubSlugger();
  let given = '';
  for (const node of walk(fromMarkdown(text))) {
    const line = node.position?.start.line ?? 0;
    if (node.type === 'heading') anchors.add(slugger.slug(textOf(node)));
    if (node.type === 'link' || node.type === 'definition' || node.type === 'image') {
      links.push({ place: `${path}:${line}`, url: node.url });
    }
    if (node.type === 'inlineCode' && /^(?:src|test|examples|tools|bench|docs)\/[\w./-]+$/.test(node.value))
      files.push(node.value);
    if (node.type === 'html') {
      for (const [, id = ''] of node.value.matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
      given = givenBy(path, node.value) ?? given;
    }
    if (node.type === 'code') {
      const { lang, meta, value } = node;
      const first = line + 1;
      blocks.push({
        ...{ document: path, line: first, place: `${path}:${first}` },
        ...{ lang: lang ?? '', mark: meta ?? '', code: value, given },
      });
    }
  }
  return { path, blocks, links, files, anchors };
}

const markdownBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();

/** Everything that people read. */
export const DOCUMENTS: readonly Document[] = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...markdownBelow('docs'),
  ...markdownBelow('test').filter((path) => !/node_modules|mutants\/head/.test(path)),
  'bench/benchmarks.md',
  'bench/measurements.md',
  'tools/publishing.md',
].map((path) => parseDocument(path, readFileSync(join(ROOT, path), 'utf8')));
