import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/core/query/answer/messages.js';
import { toVersion1 } from '../../../src/core/query/answer/result-format.js';
import { defineModule } from '../../../src/core/query/descriptor/descriptor.js';
import { ask, ENDPOINT, treeFor } from './fixture.js';

const tree = treeFor();
const texts = (warnings: readonly unknown[]) =>
  warnings.map((warning) => plainText(warning as Parameters<typeof plainText>[0]));
const names = (modules: readonly Readonly<Record<string, unknown>>[]) => modules.map(({ path }) => path);

describe('the description of a module', () => {
  const [allpages] = ask(tree, { modules: ['query+allpages'] }).modules;

  test('has its keys in this order', () => {
    expect(Object.keys(allpages ?? {}).join(' ')).toBe(
      'name classname path group prefix source sourcename licensetag licenselink readrights generator helpurls parameters templatedparameters',
    );
    const [old] = ask(tree, { modules: ['query+deletedrevs'], helpformat: 'wikitext' }).modules;
    expect(Object.keys(old ?? {}).join(' ')).toBe(
      'name classname path group prefix source sourcename licensetag licenselink description deprecated readrights helpurls examples parameters templatedparameters',
    );
  });

  test('equals the sample in formatversion 1', () => {
    const shown = toVersion1(allpages);
    expect(shown).toMatchObject({
      name: 'allpages',
      path: 'query+allpages',
      group: 'list',
      prefix: 'ap',
      readrights: '',
      generator: '',
      helpurls: [`${ENDPOINT}?action=help&modules=query%2Ballpages`],
    });
    expect(toVersion1(allpages?.parameters[9])).toStrictEqual({
      ...{ index: 10, name: 'prtype', type: ['edit', 'move', 'upload'], multi: '' },
      ...{ lowlimit: 50, highlimit: 500, limit: 50 },
    });
  });

  test('has one counter for both lists of parameters', () => {
    const [revisions] = ask(tree, { modules: ['query+revisions'] }).modules;
    expect(revisions?.templatedparameters).toMatchObject([{ index: 11, name: 'contentformat-{slot}' }]);
    const indexes = [...(revisions?.parameters ?? []), ...(revisions?.templatedparameters ?? [])].map(
      ({ index }) => index,
    );
    expect(indexes.toSorted((a, b) => Number(a) - Number(b))).toEqual(indexes.map((_, i) => i + 1));
  });

  test('has the keys of its parameters in this order', () => {
    const order = [
      ...['index', 'name', 'templatevars', 'description', 'type', 'required', 'deprecated', 'sensitive', 'default'],
      ...['multi', 'lowlimit', 'highlimit', 'limit', 'allowsduplicates', 'allspecifier', 'min', 'max', 'highmax'],
      ...['deprecatedvalues', 'subtypes', 'extranamespaces', 'mustExist', 'submodules', 'submoduleparamprefix', 'info'],
    ];
    const all = ask(tree, { modules: ['main', '**'], helpformat: 'html' }).modules.flatMap((module) => [
      ...module.parameters,
      ...module.templatedparameters,
    ]);
    expect(all.length).toBeGreaterThan(570);
    const seen = new Set<string>();
    for (const parameter of all) {
      const keys = Object.keys(parameter);
      keys.forEach((key) => seen.add(key));
      expect(keys).toEqual(order.filter((key) => keys.includes(key)));
    }
    expect([...seen].sort()).toEqual([...order].sort());
  });

  test('has no readrights if no right is required', () => {
    const without = ask(tree, { modules: ['query+*'] }).modules.filter((module) => !('readrights' in module));
    expect(names(without)).toEqual(['query+authmanagerinfo', 'query+tokens']);
  });
});

describe('limits and bounds', () => {
  const parameter = (module: string, name: string, high = false) =>
    ask(tree, { modules: [module] }, high).modules[0]?.parameters.find((p) => p.name === name);

  test('highmax only above max; the default never for a boolean; the empty default is shown', () => {
    expect(parameter('query+extracts', 'limit')).toMatchObject({ max: 20 });
    expect(parameter('query+extracts', 'limit')).not.toHaveProperty('highmax');
    expect(parameter('query+allcategories', 'prop')).toHaveProperty('default', '');
    expect(parameter('query+tags', 'prop')).toHaveProperty('default', '');
    expect(parameter('query+alllinks', 'unique')).not.toHaveProperty('default');
  });

  test('values are sorted byNaturalOrder, plain ones first, then deprecated ones', () => {
    const own = defineModule({
      name: 'sizes',
      group: 'list',
      prefix: 'sz',
      parameters: { of: { type: ['v10', 'b', 'v2', 'old', 'B', 'v2a', ''], deprecatedvalues: ['old', 'b'] } },
    });
    const [shown] = ask(treeFor({}, [own]), { modules: ['query+sizes'] }).modules;
    expect(shown?.parameters[0]?.type).toEqual(['', 'B', 'v2', 'v2a', 'v10', 'b', 'old']);
  });

  test('a custom module is described in the same way, without a source', () => {
    const own = defineModule({
      name: 'photos',
      group: 'prop',
      prefix: 'ph',
      generator: true,
      description: 'Lists photos.',
      parameters: {
        number: { type: 'limit', default: 3, max: 9, description: 'How many.' },
        kinds: { type: ['raw', 'jpeg'], multi: true, lowlimit: 5, highlimit: 2 },
      },
    });
    const [shown] = ask(treeFor({}, [own]), { modules: ['query+photos'], helpformat: 'wikitext' }).modules;
    expect(shown).toMatchObject({ path: 'query+photos', group: 'prop', generator: true, description: 'Lists photos.' });
    expect(shown).not.toHaveProperty('licensetag');
    expect(shown?.parameters).toMatchObject([
      { name: 'number', description: 'How many.', default: 3, min: 0, max: 9 },
      { name: 'kinds', lowlimit: 5, highlimit: 5, limit: 5, description: '' },
    ]);
  });
});

describe('selectors', () => {
  const select = (...modules: string[]) => {
    const { modules: found, warnings } = ask(tree, { modules });
    return { paths: names(found), warnings: texts(warnings) };
  };

  test('plus or space between the names', () => {
    expect(select('query+info', 'query allpages')).toEqual({ paths: ['query+info', 'query+allpages'], warnings: [] });
  });

  test('* is everything directly below main, ** everything; sorted by name', () => {
    expect(select('*').paths).toEqual([
      ...['compare', 'help', 'json', 'jsonfm', 'none', 'opensearch', 'paraminfo', 'parse', 'query', 'xml', 'xmlfm'],
    ]);
    const { paths } = select('**');
    expect(paths).toHaveLength(11 + 72);
    expect(paths.slice(8, 11)).toEqual(['query', 'query+allcategories', 'query+alldeletedrevisions']);
    expect(select('query+*').paths).toEqual(paths.filter((path) => String(path).startsWith('query+')));
    expect(select('query+**').paths).toEqual(select('query *').paths);
    expect(select('main+**').paths).toEqual(paths);
  });

  test('a module is described once, however often it is named', () => {
    expect(select('query+info', 'query+info', 'query info').paths).toEqual(['query+info']);
    expect(select('query+info', 'query+*').paths).toHaveLength(72);
  });

  test('an unknown module is a warning, and the others are described', () => {
    const { paths, warnings } = select(
      ...['query+allpages', 'query+nope', 'nope+foo', 'query+allpages+foo', '', 'query++info', '+info'],
    );
    expect(paths).toEqual(['query+allpages']);
    expect(warnings).toEqual([
      'The module "query" does not have a submodule "nope".',
      'The module "main" does not have a submodule "nope".',
      'The module "query+allpages" has no submodules.',
      'The module "main" does not have a submodule "".',
      'The module "query" does not have a submodule "".',
      'The module "main" does not have a submodule "".',
    ]);
  });

  test('names of object properties are not modules', () => {
    expect(select('query+constructor', 'query+__proto__', 'toString').paths).toEqual([]);
    expect(select('query+constructor', '__proto__').warnings).toHaveLength(2);
  });

  test('a wildcard below a module without submodules, or below an unknown one', () => {
    expect(select('query+allpages+*', 'nope+*', 'paraminfo+**').warnings).toEqual([
      'The module "query+allpages" has no submodules.',
      'The module "main" does not have a submodule "nope".',
      'The module "paraminfo" has no submodules.',
    ]);
  });

  test('without results there is no list of modules', () => {
    expect(ask(tree, { modules: ['nope'] }).paraminfo).toStrictEqual({ helpformat: 'none' });
    expect(ask(tree, {}).paraminfo).toStrictEqual({ helpformat: 'none' });
  });
});

describe('deprecated selectors', () => {
  test('querymodules, each with its querytype', () => {
    const { paraminfo } = ask(tree, { querymodules: ['info', 'allpages'], modules: ['main'] });
    expect(Object.keys(paraminfo)).toEqual(['helpformat', 'modules', 'querymodules']);
    expect(paraminfo.querymodules).toMatchObject([
      { path: 'query+info', group: 'prop', querytype: 'prop' },
      { path: 'query+allpages', group: 'list', querytype: 'list' },
    ]);
  });

  test('formatmodules, mainmodule', () => {
    const { paraminfo } = ask(tree, { formatmodules: ['json'], mainmodule: true });
    expect(Object.keys(paraminfo)).toEqual(['helpformat', 'formatmodules', 'mainmodule']);
    expect(paraminfo.formatmodules).toMatchObject([
      {
        path: 'json',
        group: 'format',
        parameters: [{ name: 'callback' }, {}, {}, { name: 'formatversion', default: '1' }],
      },
    ]);
    expect(paraminfo.mainmodule).toMatchObject({ name: 'main', path: 'main', prefix: '' });
    expect(paraminfo.mainmodule).not.toHaveProperty('group');
  });

  test('pagesetmodule has no name, path and group, and counts its parameters from one', () => {
    const { pagesetmodule } = ask(tree, { pagesetmodule: true }).paraminfo as {
      pagesetmodule: { parameters: { index: number; name: string }[] };
    };
    expect(['name', 'path', 'group'].filter((key) => key in pagesetmodule)).toEqual([]);
    expect(pagesetmodule.parameters.map(({ index, name }) => `${index} ${name}`).join(', ')).toBe(
      '1 titles, 2 pageids, 3 revids, 4 generator, 5 redirects, 6 converttitles',
    );
  });
});

describe('parameters that name modules', () => {
  const parameter = (path: string, name: string) =>
    ask(tree, { modules: [path] }).modules[0]?.parameters.find((p) => p.name === name);

  test('main: action and format', () => {
    const actions = ['compare', 'help', 'opensearch', 'paraminfo', 'parse', 'query'];
    expect(parameter('main', 'action')).toMatchObject({
      type: actions,
      default: 'help',
      submodules: Object.fromEntries(actions.map((name) => [name, name])),
    });
    expect(parameter('main', 'format')).toMatchObject({
      type: ['json', 'jsonfm', 'none', 'xml', 'xmlfm'],
      default: 'jsonfm',
    });
  });

  test('query: prop, list, meta, generator', () => {
    const count = (name: string) => Object.values(parameter('query', name)?.['submodules'] ?? {}).length;
    expect([count('prop'), count('list'), count('meta')]).toEqual([22, 40, 10]);
    expect(parameter('query', 'list')).toMatchObject({
      multi: true,
      limit: 50,
      submodules: { allpages: 'query+allpages' },
    });
    const generator = parameter('query', 'generator');
    expect(generator).toMatchObject({ submoduleparamprefix: 'g', multi: false });
    expect(generator?.type).toHaveLength(37);
    expect(generator?.type).toContain('extlinks');
    expect(generator?.type).not.toContain('duplicatefiles');
    expect(generator?.type).not.toContain('tags');
  });
});

describe('helpformat', () => {
  const tokens = (helpformat: 'html' | 'raw' | 'wikitext') => ask(tree, { modules: ['query+tokens'], helpformat });

  test('texts', () => {
    const { paraminfo, modules } = tokens('wikitext');
    expect(paraminfo.helpformat).toBe('wikitext');
    expect(modules[0]).toMatchObject({
      description: 'Gets the tokens required to change data (CSRF protection).',
      examples: [{ query: 'action=query&meta=tokens' }],
      parameters: [{ description: 'The types of tokens to get.' }],
    });
  });

  test('messages', () => {
    expect(tokens('raw').modules[0]).toMatchObject({
      description: [{ key: 'apihelp-query+tokens-summary', params: ['', 'tokens', 'query+tokens'] }],
      parameters: [
        { description: [{ key: 'apihelp-query+tokens-param-type', params: ['', 'type', 'tokens', 'query+tokens'] }] },
      ],
    });
  });

  test('HTML, escaped', () => {
    const own = defineModule({
      name: 'x',
      group: 'meta',
      prefix: 'x',
      description: '<b>&',
      parameters: { a: { type: 'string', description: '"<i>"' } },
    });
    const [module] = ask(treeFor({}, [own]), { modules: ['query+x'], helpformat: 'html' }).modules;
    expect(module).toMatchObject({
      description: '&lt;b&gt;&amp;',
      parameters: [{ description: '&quot;&lt;i&gt;&quot;' }],
    });
  });

  test('annotations get a text', () => {
    const info = (helpformat: 'none' | 'wikitext') =>
      ask(tree, { modules: ['query+deletedrevs'], helpformat }).modules[0]?.parameters[0]?.info;
    expect(info('none')).toStrictEqual([{ name: 'modes', values: [1, 2] }]);
    expect(info('wikitext')).toStrictEqual([
      { name: 'modes', values: [1, 2], text: expect.stringMatching(/modes/) as unknown },
    ]);
  });
});
