import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContentDatabase, importExport, siteQuery } from '../../examples/site/index.js';
import { query } from '../../src/core/query/index.js';
import { Client, everyHost, type RunningHost } from '../hosts.js';
import { DEVICE_CODE, type Fixture, fixture } from '../oauth/support/fixture.js';
import { everyRow, share } from '../rows.js';
import { sizesUpTo, steepStep } from './growth.js';

/** The parts of hostile texts, as sent. */
const ATOMS: Readonly<Record<string, string>> = {
  'alternating combining marks': '\u0300\u0323',
  'as many marks as are allowed': `a${'\u0323\u0300'.repeat(15)}`,
  'reference without an end': '%26%23x1',
  'named reference without an end': '%26amp',
  colons: 'a:',
  spaces: '+_',
  'fragment marks': '%23',
  digits: '1',
  'parts of an IPv4 address': '1.',
  'relative paths': '/..',
  braces: '%7B%7B',
  brackets: '%5B%5B',
  'tags without an end': '%3Ca',
  'quoted words': '%22a+',
  'unwanted words': '-a+',
  'bare percent signs': '%',
  separators: '%1Fa',
  'bars and one letter': 'a%7C',
  surrogates: '%ED%A0%80',
  'bytes that are not UTF-8': '%FF',
  'control characters': '%07',
  'equals signs': '=',
};

const repeated = (atom: string, size: number): string =>
  atom.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(atom))));

/** Fifty values: so many may be given at once. */
const fifty = (atom: string, size: number): string =>
  Array.from({ length: 50 }, (_, index) => `${index}${repeated(atom, size / 50)}`).join('%7C');

/** How many tables of texts there were. Each takes the next third of them. */
let table = 0;

/** Sends every form of a text in every size: the cost of none grows too fast. */
const expectLinear = async (
  sizes: readonly number[],
  send: (text: string) => Promise<unknown>,
  make = repeated,
): Promise<void> => {
  const steep: string[] = [];
  for (const [name, atom] of share(Object.entries(ATOMS), (table += 1))) {
    const step = await steepStep((size) => send(make(atom, size)), sizes);
    if (step !== undefined) steep.push(`${name}: ${step}`);
  }
  expect(steep.join('; ')).toBe('');
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const QUERY_BODY = 1_048_576;
const OAUTH_BODY = 65_536;

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-growth-'));
const database = new ContentDatabase(join(folder, 'site.db'));
let running: RunningHost;
let server: Fixture;
let client: Client;

beforeAll(async () => {
  await importExport(database, new URL('../../examples/site/sample.xml', import.meta.url).pathname);
  server = fixture({
    grants: ['authorization_code', 'client_credentials', 'refresh_token', 'device_code', 'password'],
    clients: [{ client_id: 'old', client_secret: 'old-secret', grant_types: ['password'], scope: 'profile' }],
    users: { authenticate: () => undefined },
    features: [query({ ...siteQuery(database), timeout: 60_000, cors: ['*.*.*.example'] })],
    onWarning: () => undefined,
  });
  running = await everyHost.find(({ name }) => name === 'express5 bare')!.start({ options: server.options });
  client = new Client(running.base);
  await client.get('/api?action=help&modules=query');
});
afterAll(async () => {
  await running.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> => {
  server.advance(3600); // So that no limit is reached.
  return client.request(path, { method: 'POST', headers: { ...FORM, ...headers }, body });
};

const SIZES = sizesUpTo(65_536, 4096);

describe('the time of the query API grows at most linearly', () => {
  const query = (parameters: string) => send('/api', `action=query&format=json&${parameters}`);

  test('in parameters with several values', () =>
    everyRow(
      [
        ['titles', 'titles='],
        ['texts', 'meta=allmessages&ammessages='],
        ['users', 'list=users&ususers='],
        ['titles of links', 'prop=links&titles=Rope&pltitles='],
        ['numbers', 'pageids='],
        ['namespaces', 'list=recentchanges&rcnamespace='],
        ['some of a list', 'list=recentchanges&rcprop='],
        ['what fills a template', 'prop=revisions&titles=Rope&rvslots='],
        ['modules', 'list='],
      ],
      async ([, parameter]) => {
        await expectLinear(SIZES, (text) => query(parameter + text));
        await expectLinear(SIZES, (text) => query(parameter + text), fifty);
      },
    ));

  test('in other parameters', () =>
    everyRow(
      [
        ['a text', 'list=allpages&apfrom='],
        ['a text that is echoed', 'meta=siteinfo&requestid='],
        ['the beginning of a title', 'list=prefixsearch&pssearch='],
        ['an address', 'list=exturlusage&euquery='],
        ['a user', 'prop=revisions&titles=Rope&rvuser='],
        ['an address of a user', 'list=blocks&bkip='],
        ['a range of addresses', 'list=usercontribs&uciprange='],
        ['a time', 'list=recentchanges&rcstart='],
        ['a limit', 'list=allpages&aplimit='],
        ['one of a list', 'list=allpages&apdir='],
        ['a kind of log entry', 'list=logevents&leaction='],
        ['where to go on', 'titles=Rope&prop=info&continue='],
        ['where a list goes on', 'list=recentchanges&rccontinue='],
        ['where a category goes on', 'list=categorymembers&cmtitle=Category:Knots&cmcontinue='],
        ['a generator', 'generator='],
        ['a callback', 'callback='],
        ['a format', 'format='],
        ['an origin', 'origin='],
        ['a name', ''],
        ['a name in brackets', 'a[%5B'],
        ['modules to describe', 'action=paraminfo&modules='],
        ['modules to explain', 'action=help&modules='],
      ],
      async ([, parameter]) => {
        await expectLinear(SIZES, (text) => query(parameter + text));
      },
    ));

  test('in searches', () =>
    everyRow(['srsearch', 'srwhat=title&srsearch'], async (parameter) => {
      const search = (text: string) => query(`list=search&${parameter}=${text}`);
      await expectLinear(sizesUpTo(16_384, 256), search);
    }));

  test('in a long run of one character', () =>
    everyRow(
      [
        ['spaces in a time', 'list=recentchanges&rcstart=Tue,', '+', 'x'],
        ['a comment in a time', 'list=recentchanges&rcstart=31+Jul+2012+19:01:08+;', '+', '%0A'],
        ['underscores in a name', 'list=users&ususers=a', '_', 'b'],
        ['zeros before a number', 'list=allpages&aplimit=', '0', '1'],
        ['a star behind all', 'action=paraminfo&modules=', '*+', '**'],
      ],
      async ([, start, atom, end]) => {
        const step = await steepStep((size) => query(start + repeated(atom, size) + end), sizesUpTo(QUERY_BODY / 4));
        expect(step).toBeUndefined();
      },
    ));

  test('in titles of a large body', async () => {
    await expectLinear(sizesUpTo(QUERY_BODY / 4, QUERY_BODY / 16), (text) => query(`titles=${text}`));
  });

  const counted = (size: number, make: (index: number) => string): string => {
    const parts: string[] = [];
    for (let length = 0, index = 0; length < size; index += 1) length += parts[parts.push(make(index)) - 1]!.length;
    return parts.join('');
  };
  const part = (name: string): string => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nv\r\n`;
  type Form = readonly [what: string, make: (size: number) => string, boundary: string];
  const FORMS: readonly Form[] = [
    ['many parts', (size) => counted(size, (index) => part(`n${index}`)), 'x'],
    ['empty parts', (size) => `--x\r\n`.repeat(size / 5), 'x'],
    ['a boundary that nearly comes', (size) => `--x\r\n${'\r\n--'.repeat(size / 4)}`, 'x'],
    ['a header without an end', (size) => `--x\r\ncontent-disposition: ${';a='.repeat(size / 3)}`, 'x'],
    ['parameters', (size) => part(`a"${'; b="c"'.repeat(size / 7)}`), 'x'],
    ['quoted quotes', (size) => part('\\"'.repeat(size / 2)), 'x'],
    [
      'a quote without an end',
      (size) => part(`a"; x="${'\\\\'.repeat(size / 2)}`).replace('"\r\n\r\n', '\r\n\r\n'),
      'x',
    ],
    ['many headers', (size) => `--x\r\n${'a: b\r\n'.repeat(size / 6)}\r\nv\r\n--x--`, 'x'],
    ['a long boundary', (size) => `--${'a'.repeat(8000)}\r\n${'a'.repeat(size)}`, 'a'.repeat(8000)],
    ['a boundary of dashes', (size) => '-'.repeat(size), '-'.repeat(8000)],
  ];
  test('in multipart forms', () =>
    everyRow(FORMS, async ([, make, boundary]) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      expect(await steepStep((size) => send('/api', make(size), headers), sizesUpTo(QUERY_BODY))).toBeUndefined();
    }));

  test('in urlencoded forms', () =>
    everyRow(
      [
        ['many names', (size: number) => counted(size, (index) => `&n${index}=1`)],
        ['many arrays', (size: number) => counted(size, (index) => `&n${index}[]=1`)],
        ['one name again and again', (size: number) => '&n=1'.repeat(size / 4)],
        ['numbers that are alike', (size: number) => `&pageids=${counted(size, (index) => `${index}|`)}`],
      ],
      async ([, make]) => {
        const step = await steepStep(
          (size) => send('/api', `action=query&format=json${make(size)}`),
          sizesUpTo(QUERY_BODY),
        );
        expect(step).toBeUndefined();
      },
    ));
});

const HEADER = 12_288;
/** The largest values leave space for the other parameters. */
const OAUTH_SIZES = [OAUTH_BODY / 16, OAUTH_BODY / 4, OAUTH_BODY - 512];

describe('the time of the authorization server grows at most linearly', () => {
  const AUTHENTICATED = 'client_id=old&client_secret=old-secret';
  const FORMS: readonly (readonly [what: string, path: string, form: string])[] = [
    ['client_id', '/oauth/token', 'grant_type=client_credentials&client_secret=s&client_id='],
    ['client_secret', '/oauth/token', 'grant_type=client_credentials&client_id=service&client_secret='],
    ['scope', '/oauth/token', 'grant_type=client_credentials&client_id=service&client_secret=service-secret&scope='],
    ['resource', '/oauth/token', `grant_type=client_credentials&${AUTHENTICATED}&resource=`],
    ['code', '/oauth/token', 'grant_type=authorization_code&client_id=spa&redirect_uri=x&code='],
    ['code_verifier', '/oauth/token', 'grant_type=authorization_code&client_id=spa&code=x&code_verifier='],
    ['refresh_token', '/oauth/token', 'grant_type=refresh_token&client_id=native&refresh_token='],
    ['device_code', '/oauth/token', `grant_type=${DEVICE_CODE}&client_id=tv&device_code=`],
    ['username', '/oauth/token', `grant_type=password&${AUTHENTICATED}&password=x&username=`],
    ['password', '/oauth/token', `grant_type=password&${AUTHENTICATED}&username=x&password=`],
    ['client_assertion', '/oauth/token', 'grant_type=client_credentials&client_assertion='],
    ['token', '/oauth/introspect', 'client_id=api&client_secret=api-secret&token='],
    ['token', '/oauth/revoke', 'client_id=tv&token='],
    ['user_code', '/oauth/device', 'user_code='],
    ['scope', '/oauth/device', 'client_id=tv&scope='],
    ['a name', '/oauth/token', 'grant_type=client_credentials&'],
    ['redirect_uri', '/oauth/authorize', 'client_id=native&redirect_uri=http://127.0.0.1'],
    ['resume', '/oauth/authorize', 'resume='],
  ];
  test('in the parameters of its endpoints', () =>
    everyRow(FORMS, async ([, path, form]) => {
      await expectLinear(OAUTH_SIZES, (text) => send(path, form + text));
    }));

  test('in deep JSON', () =>
    everyRow(['client_assertion', 'token'], async (name) => {
      const make = (size: number): string => {
        const payload = '['.repeat(size / 4) + ']'.repeat(size / 4);
        return `e30.${Buffer.from(`{"iss":${payload}}`).toString('base64url')}.x`;
      };
      const type = 'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const step = await steepStep(
        (size) => send('/oauth/token', `grant_type=client_credentials&${type}&${name}=${make(size)}`),
        sizesUpTo(OAUTH_BODY),
      );
      expect(step).toBeUndefined();
    }));

  type Header = readonly [name: string, method: string, path: string, make: (atom: string) => string];
  const HEADERS: readonly Header[] = [
    ['authorization', 'POST', '/oauth/token', (text) => `Basic ${Buffer.from(text).toString('base64')}`],
    ['authorization', 'GET', '/guarded/profile', (text) => `Bearer ${text}`],
    ['authorization', 'GET', '/api', (text) => `Bearer ${text}`],
    ['cookie', 'GET', '/oauth/authorize', (text) => text],
    ['cookie', 'GET', '/oauth/device', (text) => `oauth_query_x=${text}; a=`],
    ['content-type', 'POST', '/api', (text) => `multipart/form-data; ${text}`],
    ['content-type', 'POST', '/oauth/token', (text) => `application/x-www-form-urlencoded; charset=${text}`],
    ['if-none-match', 'GET', '/api/openapi.json', (text) => text],
    ['origin', 'GET', '/api', (text) => `https://${text}.example`],
    ['origin', 'OPTIONS', '/api', (text) => `https://${text}.example`],
    ['access-control-request-headers', 'OPTIONS', '/api', (text) => text],
  ];
  test('in state', async () => {
    const authorize = (text: string) =>
      client.get(`/oauth/authorize?client_id=spa&response_type=code&state=${encodeURI(text)}`);
    await expectLinear([512, 2048, 4096], authorize);
  });

  const LETTERS = ['a', ' ', ';', '; ', 'a=', '";', '\\"', ',', ';a="', 'W/', '%41', '%', '+', ':', '.', 'a.', '-'];
  test('in headers', () =>
    everyRow(HEADERS, async ([name, method, path, make]) => {
      const steep: string[] = [];
      for (const letter of share(LETTERS, (table += 1))) {
        const step = await steepStep(
          (size) => {
            const value = make(repeated(letter, name === 'authorization' ? (size * 3) / 4 : size));
            server.advance(3600);
            const origin = encodeURIComponent(name === 'origin' ? value : '*');
            const target = path === '/api' ? `${path}?origin=${origin.slice(0, 3000)}` : path;
            return client.request(target, { method, headers: { [name]: value } });
          },
          [HEADER / 16, HEADER / 4, HEADER],
        );
        if (step !== undefined) steep.push(`${JSON.stringify(letter)}: ${step}`);
      }
      expect(steep).toEqual([]);
    }));

  test('no request caused a server error', () => {
    expect(server.errors).toEqual([]);
    expect(running.errors).toEqual([]);
  });
});
