import { describe, expect, test } from 'vitest';
import { resolveSite } from '../../src/core/query/site/site.js';
import { parseTitle } from '../../src/core/query/site/title.js';
import { everyRow } from '../rows.js';
import { site } from './fixture.js';
import { parseOne, refusal } from './types/parse-one.js';

describe('title: the canonical form', () => {
  test('a title is normalised', () =>
    everyRow(
      [
        ['apple', 'Apple', 0],
        ['Main_Page', 'Main Page', 0],
        ['  a   b_ ', 'A b', 0],
        ['a\u00a0b\u3000c', 'A b c', 0],
        ['a\u200eb', 'Ab', 0],
        ['talk:apple', 'Talk:Apple', 1],
        ['TALK : apple', 'Talk:Apple', 1],
        ['Image:x.png', 'File:X.png', 6],
        ['Project:about', 'Fruit:About', 4],
        [':talk:apple', 'Talk:Apple', 1],
        [':apple', 'Apple', 0],
        ['&eacute;clair', 'Éclair', 0],
        ['A&amp;B', 'A&B', 0],
        ['&#65;', 'A', 0],
        ['Nothing:x', 'Nothing:x', 0],
        ['...', '...', 0],
        ['A/.../B', 'A/.../B', 0],
        ['100%', '100%', 0],
        ['ß', 'ß', 0],
        ['User:192.168.000.001', 'User:192.168.0.1', 2],
      ],
      ([text, prefixed, ns]) => {
        expect(parseTitle(text, site)).toMatchObject({ kind: 'local', prefixed, ns });
      },
    ));

  test('the first # begins a fragment, and a fragment alone is a title', () => {
    expect(parseTitle('Apple#some part', site)).toMatchObject({ prefixed: 'Apple', fragment: 'some part' });
    expect(parseTitle('#frag', site)).toMatchObject({ kind: 'local', prefixed: '', fragment: 'frag' });
  });

  test('a namespace alone is empty on a site of the same family too, which has the same namespaces', () => {
    const family = resolveSite({
      interwiki: { sister: { url: 'https://s.example/$1', local: true }, other: 'https://o.example/$1' },
    });
    for (const text of ['sister:Talk:', 'Sister: Talk : # anchor']) {
      expect(parseTitle(text, family), text).toMatchObject({
        kind: 'invalid',
        reason: expect.stringContaining('empty'),
      });
    }
    for (const text of ['sister:', 'sister:Talk:Foo', 'sister:No such namespace:', 'other:Talk:']) {
      expect(parseTitle(text, family), text).toMatchObject({ kind: 'interwiki' });
    }
  });

  test('an interwiki prefix', () => {
    expect(parseTitle('wikipedia:Foo Bar', site)).toMatchObject({
      kind: 'interwiki',
      prefix: 'wikipedia',
      text: 'Foo Bar',
    });
  });
});

describe('title: invalid ones', () => {
  test("an invalid title has MediaWiki's reason", () =>
    everyRow(
      [
        ['', 'empty'],
        [':', 'empty'],
        ['Talk:', 'empty'],
        ['  ', 'empty'],
        ['[x]', '"["'],
        ['a|b', '"|"'],
        ['a<b', '"<"'],
        ['{', '"{"'],
        ['a\nb', '"\n"'],
        ['a%41', '"%41"'],
        ['&nosuch;', '"&nosuch;"'],
        ['a\u007f', 'invalid characters'],
        ['a\ufffd', 'UTF-8'],
        ['Talk:File:X', 'talk page'],
        ['::x', 'colon'],
        ['.', 'relative'],
        ['..', 'relative'],
        ['./a', 'relative'],
        ['../a', 'relative'],
        ['a/./b', 'relative'],
        ['a/../b', 'relative'],
        ['a/.', 'relative'],
        ['a/..', 'relative'],
        ['a~~~b', 'tilde'],
        ['x'.repeat(256), 'too long'],
      ],
      ([text, part]) => {
        const title = parseTitle(text, site);
        expect(title.kind).toBe('invalid');
        expect(title.kind === 'invalid' && title.reason).toContain(part);
      },
    ));

  test('255 bytes are allowed, without the name of the namespace, and 512 on special pages', () => {
    expect(parseTitle(`Talk:${'x'.repeat(255)}`, site).kind).toBe('local');
    expect(parseTitle(`Special:${'x'.repeat(512)}`, site).kind).toBe('local');
    expect(parseTitle(`Special:${'x'.repeat(513)}`, site).kind).toBe('invalid');
  });
});

describe('the parameter type', () => {
  test('returns the prefixed text', () => {
    expect(parseOne({ type: 'title' }, 'talk:main_page').value).toBe('Talk:Main page');
  });

  test('badtitle', () => {
    const error = refusal(() => parseOne({ type: 'title' }, '[x'));
    expect([error.code, error.message]).toEqual([
      'badtitle',
      'Invalid value "[x" for title parameter "xxvalue": not a valid title string.',
    ]);
  });
});
