import { describe, expect, test } from 'vitest';
import type { HelpParams } from '../../../src/core/query/describe/describing-actions.js';
import { renderHelp } from '../../../src/core/query/describe/help/help.js';
import { descendantsOf, type ModuleNode } from '../../../src/core/query/describe/module-tree.js';
import { API_TEXTS } from '../../../src/core/query/describe/texts/api-texts.js';
import type { ModuleDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { resolveSite } from '../../../src/core/query/site/site.js';
import { german as germanLanguage } from '../../../src/languages/index.js';
import { everyRow } from '../../rows.js';
import { frameIn } from '../fixture.js';
import { treeFor } from './fixture.js';

const tree = treeFor();
const site = resolveSite({ name: 'Orchard' });
const NOTHING_MORE = { submodules: false, recursivesubmodules: false, toc: false };
const frame = frameIn().with('api', API_TEXTS);
const rendered = (parts: Parameters<typeof renderHelp>[0], params: Parameters<typeof renderHelp>[1]) => {
  const { page, content } = renderHelp(parts, params, frame);
  return { page: page.html.source, content };
};
const help = (modules: readonly string[], more: Partial<HelpParams> = {}) =>
  rendered({ tree, site }, { modules, ...NOTHING_MORE, ...more });

const ELEMENT = /<(\/?)([a-z0-9]+)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>/g;
const VOID = new Set(['meta', 'br', 'input']);

/** The elements of a page in order, after a check that it is well made: everything is closed, nothing is left unescaped. */
const elementsOf = (page: string) => {
  const open: string[] = [];
  const elements: { name: string; attributes: string }[] = [];
  const text = page.replace('<!DOCTYPE html>', '').replace(/<(style|script)>[^<]*<\/\1>/g, '');
  for (const [, close, name = '', attributes = ''] of text.matchAll(ELEMENT)) {
    if (close) expect(open.pop()).toBe(name);
    else {
      if (!VOID.has(name)) open.push(name);
      elements.push({ name, attributes });
    }
  }
  expect(open).toEqual([]);
  expect(text.replace(ELEMENT, '')).not.toMatch(/[<>]/);
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
  return elements;
};

describe('the help pages', () => {
  test('the first page lists actions, output formats, and the parameters of every request', () => {
    const { page } = help(['main']);
    const all = elementsOf(page);
    expect(page).toMatch(/^<!DOCTYPE html>\n<html lang="en">/);
    expect(all.filter(({ name }) => name === 'h1')).toHaveLength(1);
    expect(all.filter(({ name }) => name === 'main')).toHaveLength(1);
    for (const action of ['compare', 'help', 'opensearch', 'paraminfo', 'parse', 'query'])
      expect(page).toContain(`<a href="?action=help&amp;modules=${action}">`);
    for (const name of Object.keys(tree.module.parameters)) expect(page).toContain(`<code>${name}</code>`);
    expect(page).toContain('Orchard');
  });

  test('the page of query lists all 72 modules, each with a link and a description', () => {
    const { page } = help(['query']);
    elementsOf(page);
    const modules = descendantsOf(tree).filter(({ path }) => path.startsWith('query+'));
    expect(modules).toHaveLength(72);
    for (const { name, group, path } of modules) {
      expect(page).toMatch(
        new RegExp(
          `<dt><a href="\\?action=help&amp;modules=${encodeURIComponent(path)}"><code>${group}=${name}</code></a>( <span class="flag">deprecated</span>)?</dt>\n<dd>[^<]+\\.</dd>`,
        ),
      );
    }
  });

  test('the page of each module has every parameter with all of its properties', () =>
    everyRow(
      descendantsOf(tree).map((node) => [node.path, node] as const),
      ([path, node]) => {
        const { page } = help([path]);
        const all = elementsOf(page);
        expect(all.filter(({ attributes }) => attributes.includes(' href="?action=')).length).toBeGreaterThan(2);
        for (const [name, p] of Object.entries(node.module.parameters)) {
          const start = page.indexOf(`<dt id="${path}:${name}"><code>${node.module.prefix}${name}</code>`);
          expect([name, start > 0]).toEqual([name, true]);
          const [entry = ''] = page.slice(start + 1).split('<dt ');
          if (p.deprecated) expect(entry).toContain('<span class="flag">deprecated</span></dt>');
          if (p.required) expect(entry).toContain('<span class="flag">required</span>');
          if (p.sensitive) expect(entry).toContain('<span class="flag">confidential</span>');
          if (p.default !== undefined && p.default !== '')
            expect(entry).toContain(`Default: <code>${p.default}</code>`);
          if (p.default === '') expect(entry).toContain('Default: <em>empty</em>');
          if (p.max !== undefined) expect(entry).toContain(p.max.toLocaleString('en'));
          if (p.highmax !== undefined) expect(entry).toContain(`${p.highmax.toLocaleString('en')} with high limits`);
          if (p.multi) expect(entry).toContain('At most 50 values (500 with high limits).');
          for (const value of typeof p.type === 'string' ? [] : p.type)
            expect(entry).toContain(value === '' ? '<em>empty</em>' : `<code>${value}</code>`);
        }
      },
    ));

  test('its script only narrows the list of modules; no page has an inline style, or needs another site', () => {
    const { page } = help(['main'], { recursivesubmodules: true, toc: true });
    const all = elementsOf(page);
    expect(all.some(({ name }) => ['script', 'img', 'link', 'iframe', 'form', 'base'].includes(name))).toBe(false);
    expect(all.some(({ attributes }) => /\s(?:style|on[a-z]+)=/.test(attributes))).toBe(false);
    expect(all.every(({ attributes }) => !/\s(?:href|src)="(?![?#]|\/")/.test(attributes))).toBe(true);
    const [[, style = ''] = [], ...others] = [...page.matchAll(/<style>([^<]*)<\/style>/g)];
    expect(others).toEqual([]);
    expect(style).not.toMatch(/url\(|@import|</);
    expect(page.match(/<script>/g)).toHaveLength(1);
    const ids = all.flatMap(({ attributes }) => /\sid="([^"]*)"/.exec(attributes)?.[1] ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = all.flatMap(({ attributes }) => /\shref="#([^"]*)"/.exec(attributes)?.[1] ?? []);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  });

  test('each module and its neighbours are found from each page, and lead to the sandbox if there is one', () => {
    const parts = { tree, site, sandbox: '/v1/api/sandbox' };
    const { page } = rendered(parts, { modules: ['query+search'], ...NOTHING_MORE });
    expect(page.match(/ aria-current="page"/g)).toHaveLength(1);
    expect(page).toContain('title="Searches the full text of pages." aria-current="page"><code>search</code>');
    expect(page).toContain('<a href="/v1/api/sandbox#list=search">Try it in the sandbox</a>');
    expect(page.match(/<li><a href="\?action=help&amp;modules=/g)).toHaveLength(83);
    expect(page.match(/<h1[^>]*><bdi>list=search<\/bdi><\/h1>/g)).toHaveLength(1);
    expect(page).toContain('<title>list=search · API help of Orchard');
  });

  test('in the language of the reader, with descriptions that are marked as English', () => {
    const german = frameIn(germanLanguage).with('api', API_TEXTS);
    const parts = { tree, site, sandbox: '/api/sandbox' };
    const { html } = renderHelp(parts, { modules: ['query+search'], ...NOTHING_MORE }, german).page;
    expect(html.source).toContain('<html lang="de">');
    expect(html.source).toContain('<h2>Beispiele</h2>');
    expect(html.source).toContain('<p lang="en" dir="ltr">Searches the full text of pages.</p>');
  });

  test('submodules includes one level, recursivesubmodules all', () => {
    const sections = (page: string) => page.match(/<section /g)?.length;
    expect(sections(help(['main']).page)).toBe(1);
    expect(sections(help(['main'], { submodules: true }).page)).toBe(12);
    expect(sections(help(['main'], { recursivesubmodules: true }).page)).toBe(84);
    expect(sections(help(['query+info', 'query+info', 'query+links']).page)).toBe(2);
  });

  test('content is the inner HTML of main', () => {
    const { page, content } = help(['query+tokens']);
    expect(page).toContain(`<main id="content">\n${content}\n<p class="facts">`);
  });

  test('untrusted text is escaped', () => {
    const evil = '"><script>alert(1)</script>\'&';
    // Put into the tree by hand: the names alone would be refused at start.
    const module: ModuleDescriptor = {
      name: evil,
      group: 'list',
      prefix: 'ev<i>',
      description: evil,
      parameters: {
        a: { type: [evil, 'b'], default: evil, description: evil, deprecatedvalues: [evil] },
        [evil]: { type: 'user', info: [{ name: evil }], multi: true, allspecifier: evil },
        'c-{d}': { type: 'namespace', templatevars: { [evil]: evil } },
      },
    };
    const about = { name: evil, path: evil, group: 'list', text: evil } as const;
    const node: ModuleNode = { ...about, module, children: new Map(), submodules: [] };
    const hostile = resolveSite({ name: evil, namespaces: { 100: evil } });
    const children = new Map([...tree.children, [evil, node]]);
    const around = { ...tree, children, submodules: [...tree.submodules, node] };
    const parts = { tree: around, site: hostile };
    const { page } = rendered(parts, { modules: [evil, 'main'], ...NOTHING_MORE, toc: true });
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<i>');
    const all = page.replace(/<(style|script)>[^<]*<\/\1>/g, '').replace('<!DOCTYPE html>', '');
    expect(all.replace(ELEMENT, '')).not.toMatch(/[<>]/);
    expect(page.split('&lt;script&gt;').length).toBeGreaterThan(10);
  });

  test('namespaces are listed with their names', () => {
    expect(help(['query+allpages']).page).toContain('<li><code>4</code> Orchard</li>');
    expect(help(['query+allpages']).page).not.toContain('<code>-1</code>');
    expect(help(['query+links']).page).toContain('<li><code>-1</code> Special</li>');
  });
});
