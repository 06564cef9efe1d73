import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsedBody, readStream } from '../../src/adapters/node/body.js';
import { OAuthError } from '../../src/core/base/errors.js';
import type { HttpRequest } from '../../src/core/base/http/messages.js';
import { challenge } from '../../src/core/base/http/responses.js';
import { formatScope, isSubset, parseScope } from '../../src/core/base/scope.js';
import { systemTimer } from '../../src/core/base/system.js';
import {
  redirectUriMatches,
  redirectUriProblem,
  withFragment,
  withQuery,
} from '../../src/core/oauth/clients/redirect-uri.js';
import { parseBasic } from '../../src/core/oauth/endpoints/client-authentication.js';
import { parseParameters, readForm } from '../../src/core/oauth/parameters.js';
import { Peppers, successorOf } from '../../src/core/oauth/tokens/successor.js';
import { workOf } from '../work.js';

const SEED = 20260101;
const check = <T extends readonly unknown[]>(property: fc.IProperty<T>, numRuns = 1000): void =>
  fc.assert(property, { seed: SEED, numRuns });

const TEXT = { a: 'text', b: 'text', c: 'text', 'n a+m%e&=é': 'text' } as const;
const NAMES = Object.keys(TEXT);

/** Any text that can be sent: whole characters, no control characters. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !/[\u0000-\u001f\u007f]/.test(value));
const form = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), text), {
  selector: ([name]) => name,
  maxLength: NAMES.length,
});

/** Every character as an escape, as RFC 6749 appendix B allows it. */
const percent = (value: string): string =>
  [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const plus = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1);
const encoders = [percent, plus, encodeURIComponent] as const;

const valuesOf = (body: string) => {
  const parameters = parseParameters(body, TEXT);
  expect(parameters.firstProblem).toBeUndefined();
  return NAMES.map((name) => parameters.get(name));
};

describe('forms', () => {
  test('decoding reverses any encoding (RFC 6749 appendix B)', () => {
    check(
      fc.property(
        form,
        fc.constantFrom(...encoders),
        fc.constantFrom(...encoders),
        (pairs, encodeName, encodeValue) => {
          const body = pairs.map(([name, value]) => `${encodeName(name)}=${encodeValue(value)}`).join('&');
          const expected = new Map(pairs);
          expect(valuesOf(body)).toEqual(NAMES.map((name) => expected.get(name) || undefined));
        },
      ),
    );
  });

  test("the platform's standard encoding is decoded", () => {
    check(
      fc.property(form, (pairs) => {
        const expected = new Map(pairs);
        expect(valuesOf(new URLSearchParams(pairs).toString())).toEqual(
          NAMES.map((name) => expected.get(name) || undefined),
        );
      }),
    );
  });

  test('order, empty pairs and unknown names have no effect', () => {
    check(
      fc.property(form, fc.array(fc.constantFrom('', 'x=1', 'x', '=', 'A=1', 'a%20=1')), (pairs, noise) => {
        const plain = pairs.map(([name, value]) => `${percent(name)}=${plus(value)}`);
        expect(valuesOf([...noise, ...plain.toReversed(), ...noise].join('&'))).toEqual(valuesOf(plain.join('&')));
      }),
    );
  });

  test('a second value of the same name is always a problem', () => {
    check(
      fc.property(fc.constantFrom(...NAMES), text, text, fc.constantFrom(...encoders), (name, one, two, encode) => {
        const parameters = parseParameters(`${encode(name)}=${encode(one)}&x=1&${percent(name)}=${encode(two)}`, TEXT);
        expect(parameters.problem(name)).toBe(`The parameter ${name} must not be repeated.`);
      }),
    );
  });

  test('any text is parsed or rejected with an OAuthError', () => {
    check(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.stringMatching(/^[ab&=%+;0-9A-F]{0,200}$/)),
        (body) => {
          try {
            const parameters = parseParameters(body, { a: 'vschar', b: 'uri', resource: 'uri' });
            if (parameters.firstProblem === undefined) expect(parameters.get('a') ?? '').toMatch(/^[\x20-\x7e]*$/);
          } catch (error) {
            expect(error).toBeInstanceOf(OAuthError);
          }
        },
      ),
      5000,
    );
  });

  test('any bytes, also after a parser of the application, are read or rejected with an OAuthError', async () => {
    const request = (body: HttpRequest['body']): HttpRequest => ({
      method: 'POST',
      query: '',
      path: '',
      header: (name) => (name === 'content-type' ? 'application/x-www-form-urlencoded' : undefined),
      rawHeaders: [],
      ip: '',
      hungUp: false,
      body,
      native: undefined,
    });
    const good = async (made: HttpRequest): Promise<void> => {
      try {
        await readForm(made, TEXT, {
          config: { timeout: 8000 },
          timer: systemTimer,
        });
      } catch (error) {
        expect(error).toBeInstanceOf(OAuthError);
      }
    };
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(bytes, (body) =>
        good(request((limit) => readStream(Readable.from([body], { objectMode: false }), limit))),
      ),
      { seed: SEED, numRuns: 500 },
    );
    const parsed = fc.oneof(
      fc.object({ withNullPrototype: true, key: fc.constantFrom(...NAMES, '__proto__', 'resource') }),
      fc.string(),
      bytes,
      fc.array(fc.anything()),
    );
    await fc.assert(
      fc.asyncProperty(parsed, (value) => good(request(async (limit) => parsedBody(value, limit)))),
      { seed: SEED, numRuns: 500 },
    );
  });
});

describe('Basic credentials', () => {
  const name = fc.stringMatching(/^[\x20-\x7e]{1,30}$/);
  const header = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

  test('decoding reverses encoding, for any id and secret that a form can contain (RFC 6749 §2.3.1)', () => {
    check(
      fc.property(name, text, fc.constantFrom(...encoders), (id, secret, encode) => {
        expect(parseBasic(header(encode(id), encode(secret)))).toEqual([id, secret]);
      }),
      3000,
    );
  });

  test('unreserved characters need no encoding (RFC 6749 §2.3.1)', () => {
    const plain = fc.stringMatching(/^[A-Za-z0-9\-._~]{1,60}$/);
    check(
      fc.property(plain, plain, (id, secret) => {
        expect(parseBasic(header(id, secret))).toEqual([id, secret]);
      }),
    );
  });

  test('any header is either credentials or none', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.string({ unit: 'binary', maxLength: 60 }).map((value) => `Basic ${value}`),
      fc.uint8Array({ maxLength: 60 }).map((value) => `basic ${Buffer.from(value).toString('base64')}`),
      fc.stringMatching(/^[%:A-F0-9+]{0,40}$/).map((value) => `BASIC ${Buffer.from(value).toString('base64')}`),
    );
    check(
      fc.property(any, (value) => {
        const parsed = parseBasic(value);
        if (parsed === undefined) return;
        expect(parsed[0]).toMatch(/^[\x20-\x7e]+$/);
        expect(parsed[1]).toMatch(/^[^\u0000-\u001f\u007f]*$/);
      }),
      5000,
    );
  });
});

describe('scopes', () => {
  const token = fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,6}$/);
  const tokens = fc.array(fc.oneof(token, fc.constantFrom('a', 'b', 'A')), { maxLength: 8 });

  test('are compared regardless of order and repetition (RFC 6749 §3.3)', () => {
    check(
      fc.property(tokens, tokens, (one, two) => {
        const again = parseScope([...one, ...one.toReversed()].join(' ')) ?? [];
        expect(isSubset(again, one)).toBe(true);
        expect(isSubset(one, again)).toBe(true);
        expect(isSubset(one, [...two, ...one])).toBe(true);
        expect(isSubset(one, new Set(two))).toBe(one.every((scope) => two.includes(scope)));
      }),
    );
  });

  test('are returned in order, each once (RFC 6749 §3.3)', () => {
    check(
      fc.property(tokens, (scopes) => {
        const parsed = parseScope(scopes.join(' '));
        expect(parsed).toEqual([...new Set(scopes)]);
        expect(parseScope(formatScope(parsed ?? []))).toEqual(parsed);
      }),
    );
  });

  test('any other text is rejected (RFC 6749 §3.3)', () => {
    check(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a "\\é]{0,9}$/)), (value) => {
        const valid = value === '' || /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value);
        expect(parseScope(value) !== undefined).toBe(valid);
      }),
      3000,
    );
  });
});

describe('redirect URIs', () => {
  const path = fc.constantFrom(
    '',
    '/',
    '/cb',
    '/cb/',
    '/CB',
    '/cb?a=1',
    '/cb?a=2',
    '?a=1',
    '/cb#x',
    '/..',
    '/%63b',
    '/cb;x',
    '/cb/@evil.example',
    '//cb',
  );
  const origin = fc.constantFrom(
    'https://app.example',
    'https://app.example:443',
    'https://app.example.',
    'https://APP.example',
    'http://app.example',
    'https://evil.example',
    'https://app.example@evil.example',
    'com.example.app:',
    'http://localhost',
    'http://127.0.0.1',
    'http://[::1]',
    'https://127.0.0.1',
    'http://127.1',
    'http://2130706433',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.1@evil.example',
    'http://user@127.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'HTTP://127.0.0.1',
    'http:/127.0.0.1',
  );
  const port = fc.constantFrom(
    '',
    ':0',
    ':1',
    ':80',
    ':8080',
    ':65535',
    ':65536',
    ':99999',
    ':',
    ':x',
    ':80:80',
    ':-1',
    ':080',
  );
  const uri = fc.oneof(
    fc.tuple(origin, port, path).map((parts) => parts.join('')),
    fc.webUrl(),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
  /** What is left of a loopback address without its port; only there may anything differ. */
  const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/?]|$)/;
  const withoutPort = (value: string): string =>
    value.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/, '$1');

  test('match if they are identical, except for the port of a loopback address (RFC 8252 §7.3)', () => {
    check(
      fc.property(uri, uri, (requested, registered) => {
        if (redirectUriProblem(registered) !== undefined) return;
        const matches = redirectUriMatches(requested, registered, false);
        if (requested === registered) expect(matches).toBe(true);
        else if (matches) {
          expect(requested).toMatch(LOOPBACK);
          expect(registered).toMatch(LOOPBACK);
          expect(withoutPort(requested)).toBe(withoutPort(registered));
        }
      }),
      30_000,
    );
  });

  test('every port of a registered loopback address matches (RFC 8252 §7.3)', () => {
    const loopback = fc.constantFrom('http://127.0.0.1', 'http://[::1]');
    check(
      fc.property(
        loopback,
        fc.integer({ min: 1, max: 65_535 }),
        fc.integer({ min: 1, max: 65_535 }),
        fc.constantFrom('/cb', '/cb?a=1', '/', ''),
        (host, one, two, rest) => {
          expect(redirectUriMatches(`${host}:${one}${rest}`, `${host}${rest}`, false)).toBe(true);
          expect(redirectUriMatches(`${host}:${one}${rest}`, `${host}:${two}${rest}`, false)).toBe(true);
          expect(redirectUriMatches(`${host}:${one}${rest}x`, `${host}:${two}${rest}`, false)).toBe(false);
          expect(redirectUriMatches(`http://localhost:${one}${rest}`, `http://localhost${rest}`, false)).toBe(false);
          expect(redirectUriMatches(`http://localhost:${one}${rest}`, `http://localhost${rest}`, true)).toBe(true);
        },
      ),
    );
  });

  test('a registered URI is unchanged before the response parameters, which can be parsed (RFC 6749 §3.1.2)', () => {
    check(
      fc.property(uri, text, text, (registered, code, state) => {
        if (redirectUriProblem(registered) !== undefined) return;
        const answer = new URLSearchParams({ code, state });
        const target = withQuery(registered, answer);
        expect(target.startsWith(registered)).toBe(true);
        expect(target).toMatch(/^[\x21-\x7e]*$/);
        const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
        expect([query.getAll('code'), query.getAll('state')]).toEqual([[code], [state]]);
        expect(withFragment(registered, answer)).toBe(`${registered}#${answer.toString()}`);
      }),
      3000,
    );
  });
});

describe('challenges', () => {
  test('are one line of printable ASCII, and their values can be parsed (RFC 9110 §11.6.1)', () => {
    check(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
        const line = challenge('Bearer', { realm: value, scope: undefined });
        const quoted = /^Bearer realm="((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(line)?.[1];
        expect(quoted?.replace(/\\(.)/g, '$1')).toBe(value.replace(/[^\x20-\x7e]/g, '?'));
      }),
      3000,
    );
  });
});

test('a request has at most a hundred fields', () => {
  expect(parseParameters('a=1&'.repeat(99) + 'a=1', { b: 'vschar' })).toBeDefined();
  expect(() => parseParameters('a=1&'.repeat(100) + 'a=1', { b: 'vschar' })).toThrow(/more than 100 parameters/);
});

test('the secrets of the next access token and the next refresh token have nothing in common', () => {
  const { access, refresh } = successorOf('token', { salt: 'salt', request: '' }, new Peppers(['secret']).current);
  expect([access.length, refresh.length]).toEqual([43, 43]);
  expect(access).not.toBe(refresh);
});

describe('the cost', () => {
  const parse = (body: string) => parseParameters(body, { a: 'vschar', resource: 'uri' }, Infinity);

  test.each<readonly [what: string, run: (n: number) => unknown]>([
    ['many fields', (n) => parse('a=1&'.repeat(n))],
    ['many resources', (n) => parse('resource=urn:x&'.repeat(n))],
    ['many ampersands', (n) => parse('&'.repeat(n))],
    ['many equals signs', (n) => parse(`a${'='.repeat(n)}`)],
    ['many escapes', (n) => parse(`a=${'%41+'.repeat(n)}`)],
    ['many broken escapes', (n) => parse('%=%&'.repeat(n))],
    ['a long name', (n) => parse('%61'.repeat(n))],
    ['many scopes', (n) => parseScope('a '.repeat(n))],
    ['one long scope', (n) => parseScope(`${'a'.repeat(n)}"`)],
    [
      'a subset of many scopes',
      (n) => isSubset(parseScope(Array.from({ length: n }, (_, index) => `s${index}`).join(' ')) ?? [], ['a']),
    ],
    ['long credentials', (n) => parseBasic(`Basic ${Buffer.from(`a:${'%41'.repeat(n)}`).toString('base64')}`)],
    ['spaces around credentials', (n) => parseBasic(`Basic ${' '.repeat(n)}QTpC${' '.repeat(n)}!`)],
    ['credentials that never end', (n) => parseBasic(`Basic ${'Q'.repeat(n)}!`)],
    [
      'a long redirect URI',
      (n) => redirectUriMatches(`http://127.0.0.1:1/${'a'.repeat(n)}`, `http://127.0.0.1/${'a'.repeat(n)}b`, true),
    ],
    [
      'the port of a redirect URI',
      (n) => redirectUriMatches(`http://127.0.0.1:${'1'.repeat(n)}/`, 'http://127.0.0.1/', true),
    ],
    ['a long redirect URI to register', (n) => redirectUriProblem(`https://app.example/?${'a=b&'.repeat(n)}`)],
  ])('grows no faster than the text: %s', (_what, run) => {
    const [once, twice] = [workOf(() => run(2000)), workOf(() => run(4000))];
    expect(once).toBeGreaterThan(0);
    expect(twice / once).toBeLessThan(2.2);
  });

  test('is counted: code that copies the rest of the text for every field is detected', () => {
    const quadratic = (n: number) => {
      for (let rest = 'a=1&'.repeat(n); rest !== ''; rest = rest.slice(4)) rest.indexOf('&');
    };
    expect(workOf(() => quadratic(4000)) / workOf(() => quadratic(2000))).toBeGreaterThan(3.5);
  });
});
