import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { printXml } from '../../src/core/query/answer/xml.js';
import { useStarted } from '../hosts/listen.js';
import { startQuery } from './fixture.js';

const host = useStarted(() =>
  startQuery({
    resolvePages: ({ titles }) =>
      titles.filter((title) => title === 'Apple').map((title) => ({ pageid: 7, ns: 0, title })),
    modules: {
      allpages: () => ({ items: [{ pageid: 1, ns: 0, title: `"A" & <B>'s` }], continue: 'Beta' }),
      allcategories: () => [{ category: 'Fruit', size: 2, hidden: true }, { category: '' }],
      prefixsearch: () => [{ ns: 0, title: 'Apple', pageid: 7 }],
      redirects: () => ({ pages: { 7: [{ pageid: 8, title: 'Apples', fragment: 'a\nb\tc' }] } }),
      revisions: () => ({
        pages: {
          7: [{ revid: 3, minor: false, slots: { main: { contentmodel: 'wikitext', content: 'One\r\n< two\u0001' } } }],
        },
      }),
    },
  }),
);

const ask = async (query: string): Promise<string> => {
  const { text, headers } = await host.raw(`${query}&format=xml`);
  expect(headers.get('content-type')).toBe('text/xml; charset=utf-8');
  new SaxesParser().write(text).close();
  return text;
};

const api = (inner: string, attributes = ' batchcomplete=""'): string =>
  `<?xml version="1.0"?><api${attributes}>${inner}</api>`;

describe('format=xml', () => {
  test('lists have named entries, whose texts and numbers are attributes', async () => {
    const entry = '<p pageid="1" ns="0" title="&quot;A&quot; &amp; &lt;B&gt;&#039;s" />';
    const inner = `<continue apcontinue="Beta" continue="-||" /><query><allpages>${entry}</allpages></query>`;
    expect(await ask('action=query&list=allpages')).toBe(api(inner));
    expect(await ask('action=query&list=allpages&includexmlnamespace=')).toBe(
      api(inner, ' batchcomplete="" xmlns="http://www.mediawiki.org/xml/api/"'),
    );
  });

  test('content is the text of its element, and a flag an empty attribute', async () => {
    expect(await ask('action=query&list=allcategories')).toBe(
      api(
        '<query><allcategories><c size="2" hidden="" xml:space="preserve">Fruit</c><c xml:space="preserve" /></allcategories></query>',
      ),
    );
  });

  test('pages have their id as _idx, and slots their role', async () => {
    const revision =
      '<rev revid="3"><slots><slot contentmodel="wikitext" role="main" xml:space="preserve">One&#13;\n&lt; two\uFFFD</slot></slots></rev>';
    const redirect = '<rd pageid="8" title="Apples" fragment="a&#10;b&#9;c" />';
    expect(await ask('action=query&titles=apple|Nope&prop=revisions|redirects&rvslots=main&rvprop=content')).toBe(
      api(
        '<query><normalized><n fromencoded="" from="apple" to="Apple" /></normalized><pages>' +
          `<page _idx="7" pageid="7" ns="0" title="Apple"><revisions>${revision}</revisions><redirects>${redirect}</redirects></page>` +
          '<page _idx="-1" ns="0" title="Nope" missing="" /></pages></query>',
      ).replace(' fromencoded=""', ''),
    );
  });

  test('formatversion and callback belong to JSON', async () => {
    const text = await ask('action=query&formatversion=2&callback=f');
    expect(text).toBe(
      api('<warnings><main xml:space="preserve">Unrecognized parameters: formatversion, callback.</main></warnings>'),
    );
  });

  test('errors, in the old and the new format', async () => {
    const sentence = 'Invalid value "abc" for integer parameter "aplimit".';
    expect(await ask('action=query&list=allpages&aplimit=abc')).toBe(
      api(
        `<error code="badinteger" info="${sentence.replaceAll('"', '&quot;')}" xml:space="preserve">See /api for API usage.</error>`,
        '',
      ),
    );
    expect(await ask('action=query&list=allpages&aplimit=abc&errorformat=plaintext')).toBe(
      api(
        `<errors><error code="badinteger" module="query+allpages" xml:space="preserve">${sentence}</error></errors>` +
          '<docref xml:space="preserve">See /api for API usage.</docref>',
        '',
      ),
    );
  });

  test('opensearch returns search suggestions', async () => {
    expect(await ask('action=opensearch&search=App')).toBe(
      '<?xml version="1.0"?><SearchSuggestion version="2.0" xmlns="http://opensearch.org/searchsuggest2">' +
        '<Query xml:space="preserve">App</Query><Section><Item><Text xml:space="preserve">Apple</Text>' +
        '<Url xml:space="preserve">/wiki/Apple</Url></Item></Section></SearchSuggestion>',
    );
  });

  test('everything that paraminfo describes is well-formed', async () => {
    const text = await ask('action=paraminfo&modules=main|**&helpformat=html');
    expect(text).toContain('<t>xmlfm</t>');
  });

  test('xmlfm is the same, indented, in a page', async () => {
    const { text, headers } = await host.raw('action=query&list=allcategories&format=xmlfm');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain(
      '\n    &lt;allcategories&gt;\n      &lt;c size="2" hidden="" xml:space="preserve"&gt;Fruit&lt;/c&gt;',
    );
  });
});

describe('names and values that XML cannot hold', () => {
  test('a list may be as long as a response', () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => n);
    expect(printXml({ rows }, { isIndented: false })).toContain('<_v>199999</_v></rows></api>');
  });

  const shown = (data: object): string => printXml(data, { isIndented: false }).replace(/^.*?<api|<\/api>$| \/>$/g, '');

  test('keys are coded, so that any key is a name', () => {
    expect(shown({ 'a b': 1, '<x>': 2, 'x:y': 3, _z: 4, '': 5, 'a.b': 6 })).toBe(
      ' _a.20.b="1" _.3C.x.3E.="2" _x.3A.y="3" __z="4" _="5" a.b="6"',
    );
  });

  test('unpaired surrogates and control characters are replaced', () => {
    expect(shown({ a: 'x\uD800y\u0000\uFFFE' })).toBe(' a="x\uFFFDy\uFFFD\uFFFD"');
  });

  test('content next to other elements is an element of its own', () => {
    expect(shown({ one: { '*': 'x', list: [1] } })).toBe(
      '><one><list><_v>1</_v></list><_.2A. xml:space="preserve">x</_.2A.></one>',
    );
  });

  test('lists without a known name, nested lists, absent and empty values', () => {
    expect(shown({ mine: [1, [2], null, {}], no: undefined, nothing: null, none: [] })).toBe(
      '><mine><_v>1</_v><_v><_v>2</_v></_v><_v /><_v /></mine><none />',
    );
  });
});
