import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { PageRecord } from '../../src/core/query/index.js';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { authorization, startQuery } from './fixture.js';

const APPLE: PageRecord = { pageid: 1, ns: 0, title: 'Apple' };
const TITLES = ['A', 'B', 'C'];

const host = useStarted(() =>
  startQuery({
    cors: ['https://allowed.example', '*.wild.example'],
    resolvePages: ({ titles }) => (titles.includes('Apple') ? [APPLE] : []),
    modules: {
      allpages: ({ limit, params, continue: from }) => {
        const rest = TITLES.filter((title) => title >= (from ?? params.from ?? ''));
        return {
          items: rest.slice(0, limit).map((title, index) => ({ pageid: index + 1, ns: 0, title })),
          continue: rest[limit],
        };
      },
      backlinks: () => [],
      recentchanges: () => [],
      allusers: () => [],
      info: ({ pages }) => ({
        pages: Object.fromEntries(pages.existing.map(({ id }) => [id, { length: 5, redirect: false, new: true }])),
      }),
    },
  }),
);

const v2 = (params: Readonly<Record<string, string>>, as?: string) =>
  host.get({ action: 'query', formatversion: '2', ...params }, as === undefined ? {} : { as });
const v1 = (params: Readonly<Record<string, string>>) => host.get({ action: 'query', ...params });

describe('complete requests and responses', () => {
  test('a list, in each version', async () => {
    const query = {
      allpages: [
        { pageid: 1, ns: 0, title: 'A' },
        { pageid: 2, ns: 0, title: 'B' },
      ],
    };
    expect((await v1({ list: 'allpages', aplimit: '2' })).text).toBe(
      JSON.stringify({ batchcomplete: '', continue: { apcontinue: 'C', continue: '-||' }, query }),
    );
    expect((await v2({ list: 'allpages', aplimit: '2' })).text).toBe(
      JSON.stringify({ batchcomplete: true, continue: { apcontinue: 'C', continue: '-||' }, query }),
    );
  });

  test('an error is HTTP 200 with its code in a header', async () => {
    const { status, headers, json } = await v2({ list: 'allpages', aplimit: 'x' });
    expect(status).toBe(200);
    expect(headers.get('mediawiki-api-error')).toBe('badinteger');
    expect(json).toEqual({
      error: {
        code: 'badinteger',
        info: 'Invalid value "x" for integer parameter "aplimit".',
        docref: 'See /api for API usage.',
      },
    });
  });

  test('an unknown module is a warning, and the others run', async () => {
    expect((await v2({ prop: 'info|nope', titles: 'Apple' })).json).toEqual({
      batchcomplete: true,
      warnings: { query: { warnings: 'Unrecognized value for parameter "prop": nope' } },
      query: { pages: [{ pageid: 1, ns: 0, title: 'Apple', length: 5, redirect: false, new: true }] },
    });
  });
});

describe('the form of a request', () => {
  const form = (body: string) => ({
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

  test('a form body together with the URL; the body takes precedence', async () => {
    const { json } = await host.raw('action=query&format=json&list=allpages&aplimit=1', form('aplimit=2'));
    expect(json['query']?.['allpages']).toHaveLength(2);
  });

  test('multipart, with a file as a field', async () => {
    const body = new FormData();
    body.set('action', 'query');
    body.set('format', 'json');
    body.set('formatversion', '2');
    body.set('titles', new Blob(['Äpfel']));
    expect((await host.raw('', { method: 'POST', body })).json['query']?.['pages']).toEqual([
      { ns: 0, title: 'Äpfel', missing: true },
    ]);
  });

  test('the last value of a name applies; dots and spaces in names become underscores; names are case-sensitive', async () => {
    const { json } = await host.raw(
      'action=query&list=allpages&aplimit=1&aplimit=2&foo.bar=1&foo%20baz=1&APLIMIT=3&format=json&%61pfrom=B',
    );
    expect(json['query']?.['allpages']).toEqual([
      { pageid: 1, ns: 0, title: 'B' },
      { pageid: 2, ns: 0, title: 'C' },
    ]);
    expect(json['warnings']).toEqual({ main: { '*': 'Unrecognized parameters: foo_bar, foo_baz, APLIMIT.' } });
  });

  test('the array syntax is not read, and reported', async () => {
    const { json } = await host.raw('action=query&list[]=allpages&titles[a]=x&format=json&other[]=1');
    expect(json).toEqual({
      batchcomplete: '',
      warnings: {
        main: {
          '*': 'Parameter "list" uses unsupported PHP array syntax.\nParameter "titles" uses unsupported PHP array syntax.\nUnrecognized parameter: other.',
        },
      },
    });
  });

  test('bytes in the URL that are not UTF-8 are decoded as in MediaWiki, with a warning', async () => {
    const { json } = await host.raw('action=query&list=allpages&apfilterredir=%E9&format=json');
    expect(json['error']).toMatchObject({
      code: 'badvalue',
      info: 'Unrecognized value for parameter "apfilterredir": é.',
    });
    expect(String(json['warnings']?.['allpages']?.['*'])).toContain('contains invalid or non-normalized data');
  });

  test('names of object properties are ordinary names', async () => {
    const { json } = await host.raw('action=query&list=__proto__%7Cconstructor&__proto__=1&toString=2&format=json');
    expect(json['warnings']).toEqual({
      query: { '*': 'Unrecognized values for parameter "list": __proto__, constructor' },
      main: { '*': 'Unrecognized parameters: __proto__, toString.' },
    });
  });

  test('a POST without a content type works, with a warning', async () => {
    const { port } = new URL(host.origin);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.end(
          'POST /api?action=query&format=json HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 13\r\n\r\nlist=allpages',
        );
      });
      let text = '';
      socket
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('close', () => resolve(text));
    });
    expect(answer).toContain('A POST request was made without a \\"Content-Type\\" header.');
    expect(answer).not.toContain('"allpages"');
  });

  test('a body that is too large is 413', async () => {
    const { status, json } = await host.raw('format=json', form(`titles=${'x'.repeat(1_100_000)}`));
    expect([status, json['error']?.['code']]).toEqual([413, 'http-contenttoolarge']);
  });

  test('more than a thousand parameters are an error, and no warning lists them', async () => {
    const send = (count: number) =>
      host.raw('format=json&action=query', form(Array.from({ length: count - 2 }, (_, n) => `n${n}=`).join('&')));
    expect((await send(1000)).json['warnings']?.['main']).toBeDefined();
    expect((await send(1001)).json['error']).toMatchObject({
      code: 'toomanyparameters',
      info: 'The request has more than 1000 parameters.',
    });
  });

  test('HEAD returns only the header fields; PUT, PATCH and DELETE are 405', async () => {
    const head = await host.raw('action=query&format=json&list=allpages&aplimit=x', { method: 'HEAD' });
    expect([head.status, head.headers.get('mediawiki-api-error'), head.text]).toEqual([200, 'badinteger', '']);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, headers, json } = await host.raw('action=query&format=json', { method });
      expect([method, status, json['error']?.['code'], headers.get('allow'), headers.get('cache-control')]).toEqual([
        method,
        405,
        'invalidmethod',
        'GET, HEAD, POST, OPTIONS',
        'private, must-revalidate, max-age=0',
      ]);
    }
  });

  test('aliases of the path, and a path for each module', async () => {
    expect(
      (await host.get({ action: 'query', list: 'allpages' }, { path: '/w/api.php' })).json['query']?.['allpages'],
    ).toHaveLength(3);
    for (const path of ['/api/query+allpages', '/w/api.php/query+allpages']) {
      expect((await host.get({ aplimit: '1', formatversion: '2' }, { path })).json).toEqual({
        batchcomplete: true,
        continue: { apcontinue: 'B', continue: '-||' },
        query: { allpages: [{ pageid: 1, ns: 0, title: 'A' }] },
      });
    }
    expect(
      (await host.get({ titles: 'Apple' }, { path: '/api/query+info' })).json['query']?.['pages']?.[1],
    ).toMatchObject({ length: 5 });
    expect((await host.get({}, { path: '/api/query+nosuch' })).status).toBe(404);
  });
});

test('assertuser: a name that the application normalises is the same name', async () => {
  const lower = await startQuery({}, { identify: async () => ({ authorization: authorization('ann_lee') }) });
  const { json } = await lower.get({ action: 'query', assertuser: 'Ann lee' }, { as: 'any' });
  expect(json['error']).toBeUndefined();
});

describe('main parameters and the order of processing', () => {
  test('echoed values are in errors too', async () => {
    const { json } = await v2({
      requestid: '<b>é',
      servedby: '',
      curtimestamp: '',
      responselanginfo: '',
      list: 'allpages',
      aplimit: 'x',
    });
    expect(json).toMatchObject({
      requestid: '<b>é',
      curtimestamp: '2024-05-06T07:08:09Z',
      uselang: 'en',
      errorlang: 'en',
      error: { code: 'badinteger' },
    });
  });

  test.each<[string, Readonly<Record<string, string>>, string | undefined, string]>([
    ['assertanonfailed', { assert: 'anon' }, 'alice', 'logged out'],
    ['assertuserfailed', { assert: 'user' }, undefined, 'logged in'],
    ['assertbotfailed', { assert: 'bot' }, 'alice', '"bot" right'],
    ['assertnameduserfailed', { assertuser: 'bob' }, 'alice', 'logged in as "Bob"'],
    ['assertuserfailed', { assert: 'user', titles: 'x|'.repeat(60) }, undefined, 'logged in'],
    ['badvalue', { assert: 'zzz' }, undefined, '"assert": zzz'],
    ['badvalue', { action: 'nosuch' }, undefined, '"action": nosuch'],
    ['badinteger', { maxlag: 'x' }, undefined, '"x" for integer parameter "maxlag"'],
    ['badvalue', { errorformat: 'zzz', list: 'allpages', aplimit: 'x' }, undefined, '"errorformat": zzz'],
  ])('%s for %j', async (code, params, as, named) => {
    expect((await v2(params, as)).json['error']).toMatchObject({
      code,
      info: expect.stringContaining(named) as unknown,
    });
  });

  test.each<[Readonly<Record<string, string>>, string | undefined]>([
    [{ assert: 'anon' }, undefined],
    [{ assert: 'user' }, 'alice'],
    [{ assert: 'bot' }, 'bot'],
    [{ assertuser: 'alice' }, 'alice'],
    [{ maxlag: '-1' }, undefined],
  ])('%j holds', async (params, as) => {
    expect((await v2(params, as)).json).toEqual({ batchcomplete: true });
  });

  test('precedence of errors', () =>
    everyRow(
      [
        ['"gaplimit"', { generator: 'allpages', gaplimit: 'x', list: 'allusers', aulimit: 'x' }],
        ['"aulimit"', { list: 'allusers|allpages', aulimit: 'x', aplimit: 'x' }],
        ['"aplimit"', { meta: 'siteinfo', list: 'allpages', aplimit: 'x', sifilteriw: 'zzz' }],
        ['"apnamespace"', { list: 'allpages', apnamespace: 'x', aplimit: 'x' }],
        ['"aplimit"', { formatversion: '9', list: 'allpages', aplimit: 'x' }],
      ] as const,
      async ([name, params]) => expect((await v1(params)).json['error']?.['info']).toContain(name),
    ));

  test('callers who may not have tokens get a warning and no member for them', async () => {
    const { json } = await host.get({ action: 'query', meta: 'tokens', origin: '*' }, { as: 'bot' });
    expect(json).toEqual({
      batchcomplete: '',
      warnings: { tokens: { '*': 'Tokens may not be obtained when the same-origin policy is not applied.' } },
    });
  });

  test('an invalid formatversion is answered in version 1', async () => {
    const { json } = await v1({ formatversion: '9', list: 'allpages' });
    expect(json).toMatchObject({
      error: {
        code: 'badvalue',
        info: 'Unrecognized value for parameter "formatversion": 9.',
        '*': 'See /api for API usage.',
      },
      warnings: { main: { '*': 'Error printer failed. Will retry without params.' } },
    });
  });

  test('a private site can be read by known callers', async () => {
    const closed = await startQuery({ private: true });
    const code = async (params: Readonly<Record<string, string>>, as = {}) =>
      (await closed.get({ action: 'query', ...params }, as)).json['error']?.['code'];
    expect(await code({ meta: 'siteinfo' })).toBe('readapidenied');
    expect(await code({ meta: 'tokens' })).toBeUndefined();
    expect(await code({ meta: 'tokens', titles: 'A' })).toBe('readapidenied');
    expect(await code({ action: 'paraminfo', modules: 'main' })).toBeUndefined();
    expect(await code({ meta: 'siteinfo' }, { as: 'alice' })).toBeUndefined();
  });
});

describe('header fields', () => {
  test('of a successful response', async () => {
    const { headers } = await v1({});
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, must-revalidate, max-age=0',
      'content-disposition': 'inline; filename=api-result.json',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      vary: 'Accept-Encoding, Treat-as-Untrusted, Authorization',
    });
    expect(headers.get('mediawiki-api-error')).toBeNull();
  });

  test('callback: only characters of a name remain, and the caller is anonymous', async () => {
    const { text, headers } = await v1({ callback: 'a b;<x>(1)', _: '123' });
    expect(text).toBe('/**/abx1({"batchcomplete":""})');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('mediawiki-login-suppressed')).toBe('true');
    const asBot = async (params: Readonly<Record<string, string>>) =>
      (await host.get({ action: 'query', callback: 'cb', ...params }, { as: 'bot' })).text;
    expect(await asBot({ assert: 'user' })).toContain('assertuserfailed');
    expect(await asBot({ list: 'allpages', aplimit: 'max' })).toContain('"limits":{"allpages":500}');
    expect(await asBot({ meta: 'tokens' })).toContain('Tokens may not be obtained when the same-origin policy');
  });
});

describe('formats', () => {
  test('non-ASCII text: escaped in version 1 unless utf8, raw in version 2 unless ascii', async () => {
    expect((await v1({ titles: 'Été' })).text).toContain('\\u00c9t\\u00e9');
    expect((await v1({ titles: 'Été', utf8: '' })).text).toContain('Été');
    expect((await v2({ titles: 'Été' })).text).toContain('Été');
    expect((await v2({ titles: 'Été\u{1f34e}', ascii: '' })).text).toContain('\\u00c9t\\u00e9\\ud83c\\udf4e');
    expect((await v2({ formatversion: 'latest' })).json).toEqual({ batchcomplete: true });
  });

  test('none has no body; an unknown format is an error as JSON; a browser without a format gets a page', async () => {
    const none = await host.raw('action=query&format=none&list=allpages&aplimit=x');
    expect([none.text, none.headers.get('mediawiki-api-error')]).toEqual(['', 'badinteger']);
    const unknown = await host.raw('action=query&format=nosuch');
    expect(unknown.headers.get('mediawiki-api-error')).toBe('badvalue');
    expect(unknown.json['error']).toMatchObject({
      code: 'badvalue',
      info: 'Unrecognized value for parameter "format": nosuch.',
    });
    const page = await host.raw('action=query&titles=%3Cb%3E', { headers: { accept: 'text/html,*/*' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('&lt;b&gt;');
    expect(page.text).not.toContain('<b>');
    expect((await host.raw('action=query')).json).toEqual({ batchcomplete: '' });
  });
});

describe('errors and warnings in every format', () => {
  const wrong = { list: 'allpages', aplimit: 'abc' };
  const text = 'Invalid value "abc" for integer parameter "aplimit".';
  const raw = { key: 'paramvalidator-badinteger', params: [{ plaintext: 'aplimit' }, { plaintext: 'abc' }] };
  test.each<[string, object]>([
    ['plaintext', { text }],
    ['wikitext', { text }],
    ['html', { html: text }],
    ['raw', raw],
    ['none', {}],
  ])('%s', async (errorformat, sentence) => {
    expect((await v2({ ...wrong, errorformat })).text).toBe(
      JSON.stringify({
        errors: [{ code: 'badinteger', ...sentence, module: 'query+allpages' }],
        docref: 'See /api for API usage.',
      }),
    );
  });

  test('in version 1 the text is *', async () => {
    expect((await v1({ ...wrong, errorformat: 'html' })).text).toBe(
      JSON.stringify({
        errors: [{ code: 'badinteger', module: 'query+allpages', '*': text }],
        '*': 'See /api for API usage.',
      }),
    );
  });

  test('html escapes echoed values, plain text removes its tags', async () => {
    expect((await v2({ ...wrong, aplimit: '<i>&x', errorformat: 'html' })).json['errors']?.[0]?.['html']).toBe(
      'Invalid value "&lt;i&gt;&amp;x" for integer parameter "aplimit".',
    );
    expect((await v2({ ...wrong, aplimit: '<i> 1</i>\t' })).json['error']?.['info']).toBe(
      'Invalid value " 1 " for integer parameter "aplimit".',
    );
  });

  test('warnings: by module with lines, or one by one; each once', async () => {
    const params = { list: 'allpages|nosuch', aplimit: '501', foo: '1' };
    expect((await v2(params)).json['warnings']).toEqual({
      query: { warnings: 'Unrecognized value for parameter "list": nosuch' },
      allpages: { warnings: 'The value "501" for parameter "aplimit" must be between 1 and 500.' },
      main: { warnings: 'Unrecognized parameter: foo.' },
    });
    expect((await v2({ ...params, errorformat: 'raw' })).json['warnings']).toEqual([
      {
        code: 'unrecognizedvalues',
        key: 'paramvalidator-unrecognizedvalues',
        params: [
          { plaintext: 'list' },
          { plaintext: 'allpages|nosuch' },
          { list: [{ plaintext: 'nosuch' }], type: 'comma' },
          { num: 1 },
        ],
        data: { values: ['nosuch'] },
        module: 'query',
      },
      {
        code: 'outofrange',
        key: 'paramvalidator-outofrange-minmax',
        params: [{ plaintext: 'aplimit' }, { plaintext: '501' }, { num: 1 }, { num: 500 }],
        data: { min: 1, curmax: 500, max: 500, highmax: 5000 },
        module: 'query+allpages',
      },
      {
        code: 'unrecognizedparams',
        key: 'apierror-unrecognizedparams',
        params: [{ list: ['foo'], type: 'comma' }, 1],
        module: 'main',
      },
    ]);
    const twice = await v2({ list: 'backlinks', bltitle: 'A', blnamespace: 'zzz', bllimit: '501' });
    expect(twice.json['warnings']).toEqual({
      backlinks: {
        warnings:
          'Unrecognized value for parameter "blnamespace": zzz\nThe value "501" for parameter "bllimit" must be between 1 and 500.',
      },
    });
  });

  test('warnings from before an error remain; the report of unused names is omitted', async () => {
    const { json } = await v2({ list: 'backlinks', bltitle: 'A', blnamespace: 'zzz', bllimit: 'x', foo: '1' });
    expect(json['error']?.['code']).toBe('badinteger');
    expect(json['warnings']).toEqual({
      backlinks: { warnings: 'Unrecognized value for parameter "blnamespace": zzz' },
    });
    expect(json['query']).toBeUndefined();
  });
});

describe('bearer tokens', () => {
  test('an invalid one is an API error with HTTP 200, before anything else', async () => {
    const { status, headers, json } = await v2({ action: 'nosuch' }, 'forged');
    expect([status, headers.get('www-authenticate'), headers.get('mediawiki-api-error')]).toEqual([
      200,
      null,
      'mwoauth-invalid-authorization',
    ]);
    expect(json['error']).toMatchObject({
      code: 'mwoauth-invalid-authorization',
      info: 'The authorization headers in your request are not valid: Invalid access token',
    });
  });

  test('503 if the store cannot be read, never a pass', async () => {
    const away = await startQuery({}, { identify: () => Promise.reject(new Error('ECONNREFUSED 10.0.0.7')) });
    const { status, headers, text } = await away.get({ action: 'query' });
    expect([status, headers.get('retry-after'), headers.get('mediawiki-api-error')]).toEqual([
      503,
      '5',
      'temporarily_unavailable',
    ]);
    expect(text).not.toContain('10.0.0.7');
    expect(String(away.errors[0])).toContain('10.0.0.7');
  });
});
