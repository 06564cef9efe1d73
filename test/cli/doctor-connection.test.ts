import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DOCTOR_RULES } from '../../src/cli/doctor/examine.js';
import { everyRow } from '../rows.js';
import { freePort } from '../stores/engines/daemon.js';
import { oauthQueryInProcess, oauthQueryProgram } from './program.js';
import { type BadProxy, type Certificate, startBadProxy } from './support/bad-proxy.js';
import { BROKEN_SERVERS } from './support/broken-servers.js';
import { complaints, type Report, runDoctor } from './support/run-doctor.js';
import { soundOptions } from './support/sound-options.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const listening = async (server: Server): Promise<string> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port and not on a pipe.
};

const serving = (listener: RequestListener): Promise<string> => listening(createServer(listener));

describe('a server that does not respond', () => {
  const cases: readonly (readonly [what: string, start: () => Promise<string>, seen: string])[] = [
    ['nothing listens', async () => `http://127.0.0.1:${await freePort()}`, 'nothing listens there'],
    ['it never answers', () => serving(() => undefined), 'there was no complete response within 1 s'],
    [
      'it answers drop by drop',
      () =>
        serving((_req, res) => {
          res.writeHead(200, { 'content-type': 'application/json' });
          const drip = setInterval(() => res.write(' '), 50);
          res.on('close', () => clearInterval(drip));
        }),
      'there was no complete response within 1 s',
    ],
    ['it cuts every connection', () => serving((req) => req.socket.destroy()), 'the connection was reset'],
    [
      'it speaks something else',
      () => listening(createNetServer((socket) => socket.end('220 mail.example ESMTP\r\n'))),
      'Parse Error',
    ],
    [
      'https is asked where http is spoken',
      async () => (await serving((_req, res) => res.end())).replace('http:', 'https:'),
      'the server does not use TLS on this port',
    ],
  ];
  test('reachable: the finding contains the reason', async () => {
    // All at once, because some wait for a second; the others may take longer on a busy machine.
    const reports = await Promise.all(
      cases.map(async ([, start, seen]) => runDoctor(['--timeout', seen.includes('1 s') ? '1' : '60', await start()])),
    );
    await everyRow(cases.entries(), ([index, [, , seen]]) => {
      const report = reports[index]!;
      expect(report.findings).toHaveLength(1);
      expect(report.findings[0]).toMatchObject({ rule: 'reachable', level: 'error' });
      expect(report.findings[0]?.seen).toContain(seen);
      expect([report.code, report.requests]).toEqual([1, 1]);
    });
  });

  test('the program prints it and exits with 1', async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await oauthQueryInProcess(['doctor', address]);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toBe(`error   reachable
          Seen ${address}/.well-known/oauth-authorization-server: nothing listens there.
          Why  Nothing else can be checked.
          Do   Check the URL, that the server is running, and that the proxy forwards to it.

${address}: 0 ok, 0 notes, 0 warnings, 1 error (1 request).
`);
  });

  test('a hanging endpoint does not hide the other findings', async () => {
    const deadlines: AbortController[] = [];
    const timer = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      deadlines.push(new AbortController());
      return deadlines.at(-1)?.signal ?? expect.fail();
    });
    // Time runs out when the request has arrived, and for no other request.
    const silent = await serving(() => deadlines.at(-1)?.abort(new DOMException('late', 'TimeoutError')));
    const proxy = await startBadProxy(soundOptions());
    closers.push(() => proxy.close());
    proxy.spoil = (exchange) => {
      if (exchange.path.startsWith('/.well-known/'))
        exchange.body = JSON.stringify({
          ...JSON.parse(exchange.body),
          introspection_endpoint: `${silent}/introspect`,
        });
    };
    const report = await runDoctor(['--timeout', '1', proxy.issuer]);
    timer.mockRestore();
    expect(complaints(report).map((line) => line.split(':', 1)[0])).toEqual([
      'warning metadata-host',
      'error introspection-anonymous',
      'error introspection-unknown-client',
    ]);
    expect(report.findings.find(({ rule }) => rule === 'introspection-anonymous')?.seen).toContain('within 1 s');
  });
});

describe('an issuer with a path', () => {
  /** A server whose mount answers for itself, on a host that knows nothing of it. */
  const behind = async (isAtRoot: boolean): Promise<{ proxy: BadProxy; report: Report }> => {
    const proxy = await startBadProxy(soundOptions());
    closers.push(() => proxy.close());
    const inner = proxy.issuer;
    const outer = await serving((req, res) => {
      const path = req.url ?? '';
      const root = '/.well-known/oauth-authorization-server/auth';
      const isMine = path.startsWith('/auth/') || (isAtRoot && path === root);
      if (!isMine) {
        res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
        return;
      }
      void fetch(inner + path.replace('/auth', ''), { headers: { origin: String(req.headers.origin) } }).then(
        async (answer) => {
          const text = (await answer.text()).replaceAll(inner, `${outer}/auth`);
          res.writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) }).end(text);
        },
      );
    });
    return { proxy, report: await runDoctor([`${outer}/auth`]) };
  };

  test('metadata-found: the document is at the root of the host (RFC 8414 §3.1)', async () => {
    const { report } = await behind(true);
    expect(report.findings.find(({ rule }) => rule === 'metadata-found')?.level).toBe('ok');
  });

  test('metadata-found: a document only below the path is reported, and checked', async () => {
    const { report } = await behind(false);
    expect(report.code).toBe(1);
    const seen = report.findings.find(({ rule }) => rule === 'metadata-found')?.seen;
    expect(seen).toContain(
      '/.well-known/oauth-authorization-server/auth: 404 with a body of type text/html; it is only at',
    );
    expect(seen).toContain('/auth/.well-known/oauth-authorization-server.');
    expect(report.findings.find(({ rule }) => rule === 'metadata-issuer')?.level).toBe('ok');
  });
});

test('issuer-https: http outside of loopback', async () => {
  const proxy = await startBadProxy(soundOptions());
  closers.push(() => proxy.close());
  // An address of this machine that does not look like one.
  const address = `http://[::ffff:127.0.0.1]:${proxy.port}`;
  const report = await runDoctor([address]);
  expect(report.findings.find(({ rule }) => rule === 'issuer-https')).toMatchObject({ level: 'error' });
  expect(report.code).toBe(1);
});

describe('over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-doctor-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const DAY = 86_400_000;

  const certificate = async (days: number, ip = '127.0.0.1'): Promise<Certificate> => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: ip }], {
      notBeforeDate: new Date(Date.now() - 100 * DAY),
      notAfterDate: new Date(Date.now() + days * DAY + 3_600_000),
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip }] },
      ],
    });
    return { key, cert };
  };

  const examined = async (pair: Certificate, isTrusted: boolean, hsts?: string): Promise<Report> => {
    const proxy = await startBadProxy(soundOptions(), pair);
    closers.push(() => proxy.close());
    proxy.spoil = ({ headers }) => {
      if (hsts !== undefined) headers['strict-transport-security'] = hsts;
    };
    const authority = join(folder, `${proxy.port}.pem`);
    writeFileSync(authority, pair.cert);
    const env = isTrusted ? { NODE_EXTRA_CA_CERTS: authority } : {};
    const { code, stdout, stderr } = await oauthQueryProgram(['doctor', '--json', proxy.issuer], { env });
    expect(stderr).toBe('');
    return { code, ...JSON.parse(stdout) };
  };

  let lasting: Certificate;
  beforeAll(async () => {
    lasting = await certificate(60);
  });

  test('a good certificate and HSTS cause no findings', async () => {
    const report = await examined(lasting, true, 'max-age=31536000; includeSubDomains');
    expect(complaints(report)).toEqual([]);
    const rules = report.findings.map(({ rule }) => rule);
    for (const rule of ['certificate', 'certificate-lasts', 'hsts']) expect(rules).toContain(rule);
  });

  test.each([
    ['none', undefined, 'there is no Strict-Transport-Security'],
    ['an hour', 'max-age=3600', 'Strict-Transport-Security is max-age=3600'],
  ])('hsts: %s', async (_what, header, seen) => {
    const report = await examined(lasting, true, header);
    expect(complaints(report)).toEqual([`warning hsts: ${seen}.`]);
    expect(report.code).toBe(0);
  });

  test('certificate-lasts: it expires within weeks', async () => {
    const report = await examined(await certificate(9), true, 'max-age=31536000');
    expect(complaints(report)).toEqual(['warning certificate-lasts: it ends in 9 days.']);
  });

  test.each([
    ['self-signed', () => lasting, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['expired', () => certificate(-1), true, 'CERT_HAS_EXPIRED'],
    ['for another host', () => certificate(60, '127.0.0.9'), true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('certificate: %s', async (_what, make, isTrusted, code) => {
    const report = await examined(await make(), isTrusted, 'max-age=31536000');
    expect(complaints(report)).toHaveLength(1);
    const found = report.findings.find(({ rule }) => rule === 'certificate');
    expect(found).toMatchObject({ level: 'error' });
    expect(found?.seen).toContain(code);
    expect([report.code, report.requests]).toEqual([1, 1]);
  });

  test('page-cookies: without Secure', async () => {
    const proxy = await startBadProxy(soundOptions(), lasting);
    closers.push(() => proxy.close());
    proxy.spoil = ({ path, headers }) => {
      if (path === '/oauth/device') headers['set-cookie'] = 'sid=1; HttpOnly; SameSite=Lax';
    };
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, lasting.cert);
    const { stdout } = await oauthQueryProgram(['doctor', proxy.issuer], { env: { NODE_EXTRA_CA_CERTS: authority } });
    expect(stdout).toContain('the cookie sid is set without Secure.');
  });
});

describe('called with wrong arguments', () => {
  const WRONG = [
    [[], 'Specify the issuer, for example https://example.org.'],
    [['example.org'], 'The issuer must be a URL such as https://example.org, not "example.org".'],
    [['ftp://example.org'], 'The issuer must be a URL'],
    [['https://example.org/?a=1'], 'The URL must not have a query, fragment, user name or password. Remove it.'],
    [['https://a:b@example.org'], 'The URL must not have a query, fragment, user name or password. Remove it.'],
    [['--timeout', '0', 'https://example.org'], '--timeout must be a whole number from 1 to 60, not "0".'],
    [['--api', 'api', 'https://example.org'], '--api must be a path below the issuer, such as /api, not "api".'],
    [['--client-id', 'x', 'https://example.org'], '--client-id and --secret-stdin must be used together'],
    [['--secret-stdin', 'https://example.org'], '--client-id and --secret-stdin must be used together'],
  ] as const;
  test('it prints one sentence, and exits with 2', () =>
    everyRow(WRONG, async ([args, sentence]) => {
      const { code, stdout, stderr } = await oauthQueryInProcess(['doctor', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.startsWith(sentence)).toBe(true);
      expect(stderr).toMatch(/ See: oauth-query doctor --help\n$/);
    }));

  test.each([
    // Nothing listens there, which is known at once.
    ['https://localhost:1/.well-known/oauth-authorization-server', 'https://localhost:1'],
    ['https://localhost:1/.well-known/oauth-authorization-server/auth', 'https://localhost:1/auth'],
    ['https://localhost:1/.well-known/openid-configuration', 'https://localhost:1'],
    ['https://LOCALHOST:1/auth/', 'https://localhost:1/auth'],
  ])('%s means the issuer %s', async (address, issuer) => {
    expect((await runDoctor([address])).issuer).toBe(issuer);
  });
});

test('every rule of the doctor is broken by a server in these tests', () => {
  const elsewhere = ['reachable', 'certificate', 'certificate-lasts', 'hsts', 'issuer-https'];
  const broken = new Set<string>([
    ...Object.values(BROKEN_SERVERS).flatMap((rows) => rows.map(([rule]) => rule)),
    ...elsewhere,
  ]);
  expect(Object.keys(DOCTOR_RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});
