import { expect, test } from 'vitest';
import { html } from '../src/core/pages.js';

const HOSTILE = `<b a="1" b='2'>&`;
const ESCAPED = '&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;';

test('the tag escapes texts, wherever they stand and however deep', () => {
  expect(html`<p title="${HOSTILE}">${[[HOSTILE], 1, undefined]}</p>`.source).toBe(
    `<p title="${ESCAPED}">${ESCAPED}1</p>`,
  );
});

test('what the tag made is not escaped again', () => {
  expect(html`<ul>${['a', '<'].map((text) => html`<li>${text}</li>`)}</ul>`.source).toBe(
    '<ul><li>a</li><li>&lt;</li></ul>',
  );
});

test('what only looks like HTML is escaped, or refused by its type', () => {
  // @ts-expect-error An object of one's own is no HTML.
  expect(() => html`<p>${{ source: '<script>' }}</p>`.source).toThrow(TypeError);
});

test('long texts that consist of characters to replace are escaped as short ones are', () => {
  const pieces = ['<&>', 'é"', '\u{1f34e}', '中', `'x`.repeat(3)];
  const text = Array.from({ length: 30_000 }, (_, n) => pieces[(n * n) % 5]).join('');
  const short = Array.from({ length: 30_000 }, (_, n) => html`${pieces[(n * n) % 5]}`.source).join('');
  expect(html`${text}`.source).toBe(short);
});
