import { expect, test } from 'vitest';
import { XmlError, XmlReader } from '../../src/content/mediawiki-export/xml.js';
import { everyRow } from '../rows.js';

/** The elements of a document that arrives in pieces, and its error. */
const read = (pieces: readonly string[]): string => {
  const seen: string[] = [];
  let isFile = false;
  const reader = new XmlReader({
    get wantsText() {
      return !isFile;
    },
    open: (name) => {
      isFile = name === 'file';
      seen.push(`<${name}`);
    },
    text: (text) => void seen.push(text),
    close: () => {
      isFile = false;
      seen.push('>');
    },
    broken: () => void seen.push('!'),
  });
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end(() => false);
  } catch (error) {
    seen.push(error instanceof XmlError ? error.kind : String(error));
  }
  return seen.join('');
};

test('a document reads the same in pieces of any length', () =>
  everyRow(
    [
      [
        '<?xml version="1.0"?>\n<!-- a > b -->\n<a b="1>2">t&lt;<!-- c --><![CDATA[<&]]]]>u<b/></a>\n',
        '\n\n<at<<&]]u<b>>\n',
      ],
      ['<a>]]><file>bytes</file><!-->--></a>', '<a]]><file>>'],
      ['<a>&#13;&#0;&#x1F600;&nbsp;&</a>', '<a\r\uffff😀\uffffnbsp;\uffff>'],
      ['<a><![CDATA[', '<ashort'],
      ['<a/><!-- x', '<a>short'],
      ['<a b="', 'short'],
      ['<a b="<c>1</c></a>', '!<c1>>'],
      ['<a>1 < 2<b x></a>', '<a1 !!>'],
      ['<!DOCTYPE x><a/>', 'doctype'],
      ['x', 'none'],
    ],
    ([text, expected]) => {
      for (const length of [1, 2, 3, 5, 100]) {
        expect(read(text!.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []), String(length)).toBe(expected);
      }
    },
  ));
