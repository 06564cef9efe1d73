import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsedBody, readStream } from '../../src/adapters/node/body.js';
import { BodyError, type BodyProblem, checkBodyHeaders } from '../../src/core/base/http/body.js';
import type { HttpRequest } from '../../src/core/base/http/messages.js';
import { systemTimer } from '../../src/core/base/system.js';
import { parameterOf, readMultipart } from '../../src/core/query/parameters/multipart.js';
import { decodeFormText } from '../../src/core/query/parameters/raw-values.js';
import { readParameters, RequestParameters } from '../../src/core/query/parameters/request-parameters.js';
import { everyRow } from '../rows.js';
import { workOf } from '../work.js';

const FORM = 'application/x-www-form-urlencoded';

interface Sent {
  readonly query?: string;
  readonly type?: string;
  readonly coding?: string;
  readonly body?: string | Buffer;
  /** What a parser of the host has left, with the stream already read. */
  readonly parsed?: unknown;
  /** Why there is no body. */
  readonly problem?: BodyProblem;
}

async function read({ query = '', type = FORM, coding, body = '', parsed, problem }: Sent, most = 10_000) {
  const stream = Readable.from([Buffer.from(body)]);
  const request: HttpRequest = {
    method: 'POST',
    query,
    path: '',
    header: (name) => ({ 'content-type': type, 'content-encoding': coding })[name],
    rawHeaders: [],
    ip: '',
    hungUp: false,
    body: async (limit, room) => {
      if (problem !== undefined) throw new BodyError(problem);
      if (parsed !== undefined) return parsedBody(parsed, limit);
      checkBodyHeaders(request, limit);
      return readStream(stream, limit, room);
    },
    native: undefined,
  };
  const limits = { bytes: most, timer: systemTimer, request: 8000, room: () => ({ take: () => true }) };
  const parameters = await readParameters(request, limits);
  return Object.fromEntries(parameters.namesBut(() => false).map((name) => [name, parameters.get(name)]));
}

describe('a body that a parser of the application has read', () => {
  test('gives the same parameters as an unread one', () =>
    everyRow<[string, Sent]>(
      [
        ['a record', { parsed: { a: '1', b: ['2', '3'] } }],
        ['a text', { parsed: 'a=1&b=2&b=3' }],
        ['bytes', { parsed: Buffer.from('a=1&b=3') }],
        ['nothing read yet', { body: 'a=1&b=2&b=3' }],
      ],
      async ([, sent]) => {
        expect(await read({ query: 'a=0&c=4', ...sent })).toEqual({ a: '1', b: '3', c: '4' });
      },
    ));

  test('an object in it is the array syntax', async () => {
    expect(await read({ parsed: { a: { x: '1' }, 'b.c': '2' } })).toEqual({ a: undefined, b_c: '2' });
  });

  test('JSON is not read, even if it is parsed', async () => {
    expect(await read({ type: 'application/json', parsed: { a: '1' } })).toEqual({});
    expect(await read({ type: 'application/json', body: '{"a":"1"}' })).toEqual({});
  });

  test('the limit applies to it too', async () => {
    for (const sent of [{ parsed: 'x'.repeat(200) }, { body: 'x'.repeat(200) }])
      await expect(read(sent, 100)).rejects.toMatchObject({ code: 'http-contenttoolarge', status: 413 });
  });
});

describe('an unusable body', () => {
  test('is an error', () =>
    everyRow(
      [
        ['too-large', { code: 'http-contenttoolarge', status: 413 }],
        ['incomplete', { code: 'badbody', status: 400 }],
        ['encoded', { code: 'badbody', status: 400 }],
        ['consumed', { name: 'BodyError', problem: 'consumed' }], // A mistake of the host, which it learns from onError.
      ] as const,
      async ([problem, error]) => {
        await expect(read({ problem })).rejects.toMatchObject(error);
      },
    ));
});

describe('form text', () => {
  test('every value is decoded', () =>
    everyRow(
      [
        ['a+b', 'a b'],
        ['%c3%a9', 'é'],
        ['%C3%A9', 'é'],
        ['100%', '100%'],
        ['%zz', '%zz'],
        ['%4', '%4'],
        ['%2B', '+'],
        ['', ''],
        ['%F0%9F%8D%8E', '\u{1f34e}'],
      ],
      ([encoded, text]) => {
        expect(decodeFormText(encoded, 'windows-1252')).toEqual({ text, malformed: false });
      },
    ));

  test('bytes that are not UTF-8', () => {
    expect(decodeFormText('%E9', 'windows-1252')).toEqual({ text: 'é', malformed: true });
    expect(decodeFormText('%E9', 'replacement')).toEqual({ text: '\ufffd', malformed: true });
    expect(decodeFormText('%ED%A0%80', 'replacement').malformed).toBe(true);
  });

  test('the output of URLSearchParams is read', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ unit: 'grapheme' }))), (pairs) => {
        const parameters = new RequestParameters();
        parameters.addForm(new URLSearchParams(pairs).toString(), 'replacement');
        for (const [name, value] of new Map(pairs)) expect(parameters.get(name)).toBe(value);
      }),
    );
  });
});

describe('charset and content coding', () => {
  test('another charset than UTF-8, or a content coding, is badbody', () =>
    everyRow<[string, Sent]>(
      [
        ['another charset than UTF-8', { type: `${FORM}; charset=windows-1252` }],
        ['another charset, in a parsed body', { type: `${FORM};charset=x`, parsed: { a: '1' } }],
        ['a coding', { coding: 'gzip' }],
      ],
      async ([, sent]) => {
        await expect(read({ body: 'a=1', ...sent })).rejects.toMatchObject({ code: 'badbody', status: 400 });
      },
    ));

  test('UTF-8 and identity may be named', async () => {
    expect(await read({ body: 'a=1', type: `${FORM}; Charset="utf-8"`, coding: 'Identity' })).toEqual({ a: '1' });
  });
});

describe('multipart forms', () => {
  const fields = (body: string | Buffer, boundary = 'x') =>
    [...readMultipart(Buffer.from(body), boundary)].map(({ name, content }) => [name, content.toString('utf8')]);

  test('fields and files, whatever else their headers say', () => {
    expect(
      fields(
        'preamble\r\n--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x\r\ncontent-type: text/plain\r\ncontent-disposition: form-data; filename="f"; name=b\r\n\r\nline\r\n--y\r\n\r\n--x--\r\nepilogue',
      ),
    ).toEqual([
      ['a', '1'],
      ['b', 'line\r\n--y\r\n'],
    ]);
  });

  test('other parts are ignored', () =>
    everyRow(
      [
        ['no boundary at all', 'a=1'],
        ['an unfinished part', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
        ['a part without a name', '--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--'],
        ['a part without headers', '--x\r\n1\r\n--x--'],
        ['nothing', ''],
      ],
      ([, body]) => {
        expect(fields(body)).toEqual([]);
      },
    ));

  test('an empty field is present', () => {
    expect(fields('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--x--')).toEqual([['a', '']]);
  });

  test('the output of FormData is read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.stringMatching(/^[a-z"; ]{1,8}$/), fc.string({ unit: 'grapheme' })), { maxLength: 5 }),
        async (pairs) => {
          const form = new FormData();
          for (const [name, value] of pairs) form.append(name, new Blob([value]));
          const response = new Response(form);
          const boundary = parameterOf(response.headers.get('content-type') ?? '', 'boundary') ?? '';
          expect(fields(Buffer.from(await response.arrayBuffer()), boundary)).toEqual(pairs);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('many false boundaries need one pass', () => {
    const work = (size: number): number => {
      const body = Buffer.from(
        `--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'\r\n--'.repeat(size)}\r\n--x--`,
      );
      return workOf(() => expect([...readMultipart(body, 'x')]).toHaveLength(1));
    };
    expect(work(4000) / work(2000)).toBeLessThan(2.2);
    expect(work(2000)).toBeGreaterThan(8000);
  });
});
