import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
import { bearer, oneHostEach } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { startJoined } from './joined.js';

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

describe('multiple values in one text', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u001F'));

  test('splitting joined values returns the same values', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (list) => {
        fc.pre(list.length > 1 || list[0] !== '');
        expect(splitValues(joinValues(list))).toEqual(list);
      }),
    );
  });

  test('values with a bar use the other separator, also before the first value', () => {
    expect(joinValues(['a', 'b'])).toBe('a|b');
    expect(joinValues(['a|b', 'c'])).toBe('\u001Fa|b\u001Fc');
    expect(joinValues(['a|b'])).toBe('\u001Fa|b');
  });

  test('a single empty value becomes two, because an empty text has no values', () => {
    expect(joinValues([''])).toBe('|');
  });
});

describe('the form in the URL', () => {
  test('any form survives a round trip', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })), (form) => {
        const fragment = fragmentOf(Object.entries(form), NONE);
        expect(Object.fromEntries(readFragment(`#${fragment}`))).toEqual({ ...form });
      }),
    );
  });

  test('leaves out defaults and sensitive values', () => {
    const form = values(['list', ['watchlist']], ['wltoken', 'hush'], ['formatversion', '2']);
    expect(fragmentOf(form, new Set(['wltoken']))).toBe('list=watchlist');
    expect(fragmentOf(values(['formatversion', '1']), NONE)).toBe('formatversion=1');
  });
});

describe('the method of a request', () => {
  test('GET, but POST if it is too long for a URL or contains sensitive values', () => {
    expect(methodOf(request('/api', values(['list', ['allpages']])))).toBe('GET');
    expect(methodOf(request('/api', values(['titles', ['x'.repeat(2000)]])))).toBe('POST');
    expect(methodOf(request('/api', values(['wltoken', 'x']), { sensitive: new Set(['wltoken']) }))).toBe('POST');
  });

  test('a continuation replaces parameters of the same name', () => {
    const form = values(['list', ['allpages']], ['apcontinue', 'A']);
    expect(continued(form, { apcontinue: 'B', continue: '-||' })).toEqual([
      ['list', ['allpages']],
      ['apcontinue', 'B'],
      ['continue', '-||'],
    ]);
  });
});

describe('a copied request has the same result in every format', () => {
  const HOSTILE = [
    `It's "quoted"`,
    '$(touch /tmp/never) `id` \\n',
    'a|b',
    '<script>alert(1)</script>',
    '日本 & ü=%41+ #',
  ];
  const short = values(
    ['meta', ['siteinfo', 'userinfo']],
    ['siprop', ['general', 'namespaces']],
    ['titles', HOSTILE],
    ['redirects', true],
  );
  const long = values(...short.filter(([name]) => name !== 'titles'), [
    'titles',
    [...HOSTILE, ...Array.from({ length: 40 }, (_one, index) => `Page ${index} ${'long '.repeat(10)}`.trim())],
  ]);
  /** Without the members that differ between responses. */
  const comparable = (text: string): unknown => JSON.parse(text.replaceAll(/"time":"[^"]*"/g, '"time":""')) as unknown;

  const joined = useStarted(() => startJoined(oneHostEach[0]!, {}));

  const written = (form: Values, notation: Notation, more: Partial<ApiRequest> = {}): string =>
    snippet(request(joined.api, form, more), notation);
  /** The response to the URL, which the other formats must equal. */
  const plain = async (form: Values, headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const [first = '', , , body] = written(form, 'url').split('\n');
    const response = first.startsWith('POST ')
      ? await fetch(first.slice('POST '.length), { method: 'POST', body: new URLSearchParams(body ?? ''), headers })
      : await fetch(first, { headers });
    return comparable(await response.text());
  };
  const inBash = async (code: string): Promise<unknown> =>
    comparable((await run('bash', ['-c', code.replace(/^curl /, 'curl --silent ')])).stdout);
  /** Runs source text in Node as a module of this package. */
  const inNode = async (code: string): Promise<unknown> => {
    const last = code.replace(/console\.log\(answer\);$/, 'process.stdout.write(JSON.stringify(answer));');
    expect(last).not.toBe(code);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', last], { cwd: root });
    return comparable(stdout);
  };

  test.each([
    ['GET', short, true],
    ['POST', long, false],
  ] as const)(
    '%s: the URL, curl in bash, fetch in Node and m3api get the same response',
    async (method, form, signedIn) => {
      expect(methodOf(request(joined.api, form))).toBe(method);
      const wanted = await plain(form, signedIn ? bearer(joined.tokens.user) : {});
      const text = JSON.stringify(wanted);
      expect([text.includes('$(touch /tmp/never) `id`'), text.includes('"alice"')]).toEqual([true, signedIn]);
      const code = (notation: Notation): string =>
        written(form, notation, { signedIn }).replaceAll('ACCESS_TOKEN', joined.tokens.user);
      // It would send GET however long the URL.
      expect(code('m3api').includes(`method: 'POST'`)).toBe(method === 'POST');
      const answers = await Promise.all([inBash(code('curl')), inNode(code('fetch')), inNode(code('m3api'))]);
      expect(answers).toEqual([wanted, wanted, wanted]);
    },
  );

  test('the code for m3api and fetch compiles as strict TypeScript', async () => {
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

  test('no format contains a sensitive value', () => {
    const form = values(['list', ['watchlist']], ['wltoken', 'hush-hush']);
    for (const notation of ['url', 'curl', 'fetch', 'm3api'] as const) {
      const text = written(form, notation, { sensitive: new Set(['wltoken']) });
      expect(text).not.toContain('hush');
      expect(text).toContain('WLTOKEN');
    }
  });

  test('any text is quoted as one word of the shell', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...`'"\\$\`!*?;&|<>(){}[]#~= \n\t-aé日`) }), async (text) => {
        const { stdout } = await run('bash', ['-c', `printf %s ${shellWord(text)}`]);
        expect(stdout).toBe(Buffer.from(text).toString());
      }),
      { numRuns: 30 },
    );
  });
});
