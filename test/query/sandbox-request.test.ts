import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ApiRequest,
  continued,
  fragmentOf,
  joinValues,
  methodOf,
  readFragment,
  splitValues,
  type Values,
  withBase,
} from '../../sandbox/request.js';
import { type Notation, shellWord, snippet } from '../../sandbox/snippets.js';
import { oneHostEach } from '../hosts.js';
import { type Joined, startJoined } from './joined.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

const NONE: ReadonlySet<string> = new Set();
const values = (...pairs: Values): Values => pairs;
const request = (endpoint: string, form: Values, more: Partial<ApiRequest> = {}): ApiRequest => ({
  endpoint,
  values: withBase(form),
  sensitive: NONE,
  signedIn: false,
  ...more,
});

describe('several values as one text', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u001F'));

  test('what is joined is split into the same values', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (list) => {
        fc.pre(list.length > 1 || list[0] !== '');
        expect(splitValues(joinValues(list))).toEqual(list);
      }),
    );
  });

  test('a value with a bar makes the other separator necessary, in front as well', () => {
    expect(joinValues(['a', 'b'])).toBe('a|b');
    expect(joinValues(['a|b', 'c'])).toBe('\u001Fa|b\u001Fc');
    expect(joinValues(['a|b'])).toBe('\u001Fa|b');
  });

  test('one empty value is written twice, since an empty text is no value', () => {
    expect(joinValues([''])).toBe('|');
  });
});

describe('the form in the address', () => {
  test('comes back as it was, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })), (form) => {
        const fragment = fragmentOf(Object.entries(form), NONE);
        expect(Object.fromEntries(readFragment(`#${fragment}`))).toEqual({ ...form });
      }),
    );
  });

  test('leaves out what every request says, and every value that must not be seen', () => {
    const form = values(['list', ['watchlist']], ['wltoken', 'hush'], ['formatversion', '2']);
    expect(fragmentOf(form, new Set(['wltoken']))).toBe('list=watchlist');
    expect(fragmentOf(values(['formatversion', '1']), NONE)).toBe('formatversion=1');
  });
});

describe('how a request is sent', () => {
  test('by GET, but by POST if it is too long for an address or holds what must not stand in one', () => {
    expect(methodOf(request('/api', values(['list', ['allpages']])))).toBe('GET');
    expect(methodOf(request('/api', values(['titles', ['x'.repeat(2000)]])))).toBe('POST');
    expect(methodOf(request('/api', values(['wltoken', 'x']), { sensitive: new Set(['wltoken']) }))).toBe('POST');
  });

  test('what an answer gives to go on with takes the place of its namesakes', () => {
    const form = values(['list', ['allpages']], ['apcontinue', 'A']);
    expect(continued(form, { apcontinue: 'B', continue: '-||' })).toEqual([
      ['list', ['allpages']],
      ['apcontinue', 'B'],
      ['continue', '-||'],
    ]);
  });
});

describe('a request written down does the same when it is copied', () => {
  let joined: Joined;
  const HOSTILE = [
    `It's "quoted"`,
    '$(touch /tmp/never) `id` \\n',
    'a|b',
    '<script>alert(1)</script>',
    '日本 & ü=%41+ #',
  ];
  const short = values(
    ['meta', ['siteinfo']],
    ['siprop', ['general', 'namespaces']],
    ['titles', HOSTILE],
    ['redirects', true],
  );
  const long = values(...short.filter(([name]) => name !== 'titles'), [
    'titles',
    [...HOSTILE, ...Array.from({ length: 40 }, (_one, index) => `Page ${index} ${'long '.repeat(10)}`.trim())],
  ]);
  /** What changes from answer to answer. */
  const comparable = (text: string): unknown => JSON.parse(text.replaceAll(/"time":"[^"]*"/g, '"time":""')) as unknown;

  beforeAll(async () => {
    joined = await startJoined(oneHostEach[0]!, {});
  });
  afterAll(() => joined.close());

  const written = (form: Values, notation: Notation, more: Partial<ApiRequest> = {}): string =>
    snippet(request(joined.api, form, more), notation);
  /** What the address gives: the plain request that the others have to equal. */
  const plain = async (form: Values): Promise<unknown> => {
    const [first = '', , , body] = written(form, 'url').split('\n');
    const response = first.startsWith('POST ')
      ? await fetch(first.slice('POST '.length), { method: 'POST', body: new URLSearchParams(body ?? '') })
      : await fetch(first);
    return comparable(await response.text());
  };
  /** Runs a program text as Node would run a file of this package. */
  const inNode = async (code: string): Promise<unknown> => {
    const last = code.replace(/console\.log\(answer\);$/, 'process.stdout.write(JSON.stringify(answer));');
    expect(last).not.toBe(code);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', last], { cwd: root });
    return comparable(stdout);
  };

  test.each([
    ['GET', short],
    ['POST', long],
  ])('by %s: the address, curl in bash, fetch in Node and the client have one answer', async (method, form) => {
    expect(methodOf(request(joined.api, form))).toBe(method);
    const wanted = await plain(form);
    expect(JSON.stringify(wanted)).toContain('$(touch /tmp/never) `id`');
    const { stdout } = await run('bash', ['-c', `${written(form, 'curl').replace(/^curl /, 'curl --silent ')}`]);
    expect(comparable(stdout)).toEqual(wanted);
    expect(await inNode(written(form, 'fetch'))).toEqual(wanted);
    expect(await inNode(written(form, 'm3api'))).toEqual(wanted);
  });

  test('with a token in the place that is kept for it, the caller is known', async () => {
    const form = values(['meta', ['userinfo']]);
    const withToken = (notation: Notation): string =>
      written(form, notation, { signedIn: true }).replaceAll('ACCESS_TOKEN', joined.tokens.user);
    const wanted = { batchcomplete: true, query: { userinfo: expect.objectContaining({ name: 'alice' }) } };
    const { stdout } = await run('bash', ['-c', withToken('curl').replace(/^curl /, 'curl --silent ')]);
    expect(comparable(stdout)).toEqual(wanted);
    expect(await inNode(withToken('fetch'))).toEqual(wanted);
    expect(await inNode(withToken('m3api'))).toEqual(wanted);
  });

  test('the client code and the code of fetch are TypeScript that compiles strictly', async () => {
    mkdirSync(join(root, '.data'), { recursive: true });
    const folder = mkdtempSync(join(root, '.data', 'snippets-'));
    try {
      const files = [short, long].flatMap((form, index) =>
        (['fetch', 'm3api'] as const).map((notation) => {
          const file = join(folder, `${notation}-${index}.ts`);
          writeFileSync(file, `${written(form, notation, { signedIn: true })}\nexport {};\n`);
          return file;
        }),
      );
      const flags = '--ignoreConfig --noEmit --strict --target ES2023 --module NodeNext --types node --skipLibCheck';
      await run(process.execPath, ['node_modules/typescript/bin/tsc', ...flags.split(' '), ...files], { cwd: root });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a sensitive value stands in none of them', () => {
    const form = values(['list', ['watchlist']], ['wltoken', 'hush-hush']);
    for (const notation of ['url', 'curl', 'fetch', 'm3api'] as const) {
      const text = written(form, notation, { sensitive: new Set(['wltoken']) });
      expect(text).not.toContain('hush');
      expect(text).toContain('WLTOKEN');
    }
  });

  test('any text is one word of the shell', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...`'"\\$\`!*?;&|<>(){}[]#~= \n\t-aé日`) }), async (text) => {
        const { stdout } = await run('bash', ['-c', `printf %s ${shellWord(text)}`]);
        expect(stdout).toBe(Buffer.from(text).toString());
      }),
      { numRuns: 30 },
    );
  });
});
