import { expect, test } from 'vitest';
import { isOrigin } from '../src/core/base/addresses/request-addresses.js';
import { parseUrl } from '../src/core/base/addresses/url.js';

test('a URL with Latin-1 letters is one, however many URLs were looked at before', () => {
  let rejected = 0;
  for (let n = 0; n < 20_000; n += 1) {
    isOrigin(`https://a.example:${1 + (n % 7)}`);
    if (parseUrl('https://BÜCHER.example/')?.hostname !== 'xn--bcher-kva.example') rejected += 1;
  }
  expect(rejected).toBe(0);
  expect(parseUrl('no URL')).toBeUndefined();
  expect(parseUrl('/a', 'https://b.example')?.href).toBe('https://b.example/a');
});
