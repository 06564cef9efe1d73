import fc from 'fast-check';
import { expect, test } from 'vitest';
import { challenge } from '../../../src/core/base/http/responses.js';
import { redirectUriMatches, redirectUriProblem } from '../../../src/core/oauth/clients/redirect-uri.js';

const check = <T extends readonly unknown[]>(property: fc.IProperty<T>): void =>
  fc.assert(property, { seed: 20260101, numRuns: 10_000 });

const AUTHORITIES = [
  'https://app.example',
  'https://app.example@evil.example',
  'com.example.app:',
  'http://localhost',
  'http://127.0.0.1',
  'http://[::1]',
  'https://127.0.0.1',
  'http://127.0.0.1.evil.example',
  'http://127.0.0.1@evil.example',
  'http://[::ffff:127.0.0.1]',
  'HTTP://127.0.0.1',
];
const PORTS = ['', ':0', ':1', ':80', ':65535', ':65536', ':', ':x', ':80:80', ':-1', ':080'];
const PATHS = ['', '/', '/cb', '/cb/', '/cb?a=1', '/cb?a=2', '?a=1', '/cb#x', '/..', '/cb/@evil.example', '//cb'];
const uri = fc.oneof(
  fc.tuple(...[AUTHORITIES, PORTS, PATHS].map((parts) => fc.constantFrom(...parts))).map((parts) => parts.join('')),
  fc.webUrl(),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/;

test('redirect URIs match if they are identical, except for the port of a loopback address (RFC 8252 §7.3)', () => {
  check(
    fc.property(uri, uri, (requested, registered) => {
      if (redirectUriProblem(registered) !== undefined) return;
      if (requested === registered) expect(redirectUriMatches(requested, registered, false)).toBe(true);
      else if (redirectUriMatches(requested, registered, false)) {
        expect(registered).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\])/);
        expect(requested.replace(LOOPBACK, '$1')).toBe(registered.replace(LOOPBACK, '$1'));
      }
    }),
  );
});

test('challenges are one line of printable ASCII, and their values can be parsed (RFC 9110 §11.6.1)', () => {
  check(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
      const line = challenge('Bearer', { realm: value, scope: undefined });
      const quoted = /^Bearer realm="((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(line)?.[1];
      expect(quoted?.replace(/\\(.)/g, '$1')).toBe(value.replace(/[^\x20-\x7e]/g, '?'));
    }),
  );
});
