import { expect, test } from 'vitest';
import { XmlError, XmlReader } from '../../src/content/mediawiki-export/xml.js';
import { everyRow } from '../rows.js';

/** The elements of a document that arrives in pieces, and its error. */
const read = (pieces: readonly string[]): string => {
  const seen: string[] = [];
  const reader = new XmlReader({
    ignored: 'file',
    open: ({ name }) => void seen.push(`<${name}`),
    close: ({ texts }) => void seen.push(`${texts.join('')}>`),
  });
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
  } catch (error) {
    seen.push(error instanceof XmlError ? error.kind : String(error));
  }
  return seen.join('');
};

test('a document reads the same in pieces of any length', () =>
  everyRow(
    [
      ['<?xml version="1.0"?>\n<!-- a > b -->\n<a b="1>2">t&lt;<!-- c --><![CDATA[<&]]]]>u<b/></a>\n', '<a<b>t<<&]]u>'],
      ['<a>]]><file>bytes</file><!-->--></a>', '<a<file>]]>>'],
      ['<a><![CDATA[x', '<ashort'],
      ['<a/><!-- x', '<a>short'],
      ['<a b="', 'short'],
      ['<a/>x', '<a>malformed'],
      ['<![CDATA[x]]><a/>', 'malformed'],
      ['<!DOCTYPE x><a/>', 'malformed'],
      ['x', 'none'],
    ],
    ([text, expected]) => {
      for (const length of [1, 2, 3, 5, 100]) {
        expect(read(text!.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []), String(length)).toBe(expected);
      }
    },
  ));
