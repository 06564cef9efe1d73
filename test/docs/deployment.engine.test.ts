import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import { load, loadAll } from 'js-yaml';
import { oauthQuery } from 'oauth-query/express';
import { memoryStore } from 'oauth-query/stores/memory';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEngine } from '../stores/engines/availability.js';
import { type Daemon, findProgram, freePort, startDaemon, temporaryDirectory } from '../stores/engines/daemon.js';
import { DOCUMENTS } from './documents.js';

const ISSUER = 'https://auth.example.org';
const SBIN = ['/usr/sbin', '/usr/local/sbin'];
const nginx = findProgram('nginx', SBIN);
const caddy = findProgram('caddy', SBIN);

const guide = DOCUMENTS.find(({ path }) => path === 'docs/deployment.md');
const codeWith = (text: string): string => (guide?.blocks ?? []).find(({ code }) => code.includes(text))?.code ?? '';

/** A text in which each of these must occur, and is replaced. */
const replaced = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((changed, [old, value]) => {
    expect(changed).toContain(old);
    return changed.replace(old, value);
  }, text);

describeEngine(
  'docs/deployment.md: nginx in front of a server',
  nginx === undefined ? 'there is no nginx' : undefined,
  () => {
    let server: Server;
    let proxy: Daemon;
    beforeAll(async () => {
      const app = express();
      app.set('trust proxy', 1);
      app.get('/who', ({ ip, protocol, hostname }, response) => void response.json({ ip, protocol, hostname }));
      app.get('/healthz', (_request, response) => void response.json({}));
      app.use(
        oauthQuery({
          issuer: ISSUER,
          store: memoryStore(),
          clients: [{ client_id: 'service', client_secret: 'service-secret' }],
          scopes: { read: 'Read' },
          onWarning: () => undefined,
        }),
      );
      server = createServer(app).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const directory = temporaryDirectory();
      const file = (name: string): string => join(directory, name);
      const { cert, private: key } = await generate([{ name: 'commonName', value: 'auth.example.org' }]);
      writeFileSync(file('cert.pem'), cert);
      writeFileSync(file('key.pem'), key);
      const port = await freePort();
      const site = replaced(codeWith('upstream oauth'), {
        '127.0.0.1:3000': `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
        '443 ssl http2': `127.0.0.1:${port} ssl http2`,
        '/etc/letsencrypt/live/auth.example.org/fullchain.pem': file('cert.pem'),
        '/etc/letsencrypt/live/auth.example.org/privkey.pem': file('key.pem'),
      });
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${file(name)};`,
      );
      writeFileSync(
        file('nginx.conf'),
        [
          `daemon off; pid ${file('pid')}; error_log stderr notice;`,
          process.getuid?.() === 0 ? 'user root;' : '',
          'events {}',
          `http { access_log off; ${temporary.join(' ')}\n${site} }`,
        ].join('\n'),
      );
      const args = ['-c', file('nginx.conf'), '-p', directory];
      await promisify(execFile)(nginx ?? '', ['-t', ...args]);
      proxy = await startDaemon({
        file: nginx ?? '',
        args,
        port,
        directory,
        ready: /start worker processes/,
        killSignal: 'SIGTERM',
      });
    });
    afterAll(async () => {
      await proxy?.remove();
      server?.close();
    });

    /** Over HTTP/2, as a browser. */
    async function send(path: string, headers = {}, body?: string): Promise<{ status: number; json: unknown }> {
      const session = connect(`https://127.0.0.1:${proxy.port}`, { rejectUnauthorized: false });
      try {
        const request = session.request({
          ':path': path,
          ':authority': 'auth.example.org',
          ':method': body === undefined ? 'GET' : 'POST',
          ...headers,
        });
        request.end(body);
        const [answer] = await once(request, 'response');
        let text = '';
        for await (const chunk of request) text += String(chunk);
        const status = Number(Object(answer)[':status']);
        return { status, json: text.startsWith('{') ? JSON.parse(text) : undefined };
      } finally {
        session.close();
      }
    }

    test('the server publishes the issuer, and the host that a client sends changes nothing', async () => {
      const path = '/.well-known/oauth-authorization-server';
      const { json } = await send(path, { ':authority': 'other.example', 'x-forwarded-host': 'other.example' });
      expect(json).toMatchObject({ issuer: ISSUER, token_endpoint: `${ISSUER}/oauth/token` });
    });

    test('a token is issued, and the server sees the address of the client, which the client cannot choose', async () => {
      const authorization = `Basic ${Buffer.from('service:service-secret').toString('base64')}`;
      const type = 'application/x-www-form-urlencoded';
      const { status, json } = await send(
        '/oauth/token',
        { authorization, 'content-type': type },
        'grant_type=client_credentials',
      );
      expect([status, json]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
      const who = await send('/who', { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'http' });
      expect(who.json).toEqual({ ip: '127.0.0.1', protocol: 'https', hostname: 'auth.example.org' });
    });

    test('health checks are not public', async () => {
      expect((await send('/healthz')).status).toBe(404);
      expect((await send('/readyz')).status).toBe(404);
    });
  },
);

describeEngine('docs/deployment.md: Caddy', caddy === undefined ? 'there is no caddy' : undefined, () => {
  test('it accepts the file', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'Caddyfile');
    writeFileSync(file, codeWith('reverse_proxy'));
    const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory };
    const { stdout, stderr } = await promisify(execFile)(
      caddy ?? '',
      ['validate', '--adapter', 'caddyfile', '--config', file],
      { env },
    );
    expect(stdout + stderr).toContain('Valid configuration');
  });
});

/** The parts of the files that are compared. */
interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly depends_on?: object;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}
interface Deployment {
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] };
    };
  };
}
interface Container {
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
}

describe('docs/deployment.md: the other files', () => {
  const program = codeWith("app.get('/healthz'");
  const variables = [...program.matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name]) => name);

  test('Compose: the service sets the variables of the program, waits for its database, and may drain', () => {
    const { services } = load(codeWith('services:')) as { services: { oauth: Service; db: Service } };
    expect(Object.keys(services.oauth.environment)).toEqual(expect.arrayContaining(variables));
    expect(services.oauth.depends_on).toEqual({ db: { condition: 'service_healthy' } });
    expect(services.db.healthcheck.test.join(' ')).toContain('pg_isready');
    expect(services.oauth.healthcheck.test.join(' ')).toContain('/healthz');
    expect(services.oauth.stop_grace_period).toBe('20s');
  });

  test('Kubernetes: the probes are paths of the program, and draining ends before the grace period', () => {
    const [deployment] = loadAll(codeWith('kind: Deployment')) as [Deployment];
    const { spec } = deployment.spec.template;
    const [container] = spec.containers;
    expect(program).toContain(`app.get('${container.livenessProbe.httpGet.path}'`);
    expect(program).toContain(`app.get('${container.readinessProbe.httpGet.path}'`);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(5 + 10);
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
  });

  test('systemd: the process ends itself with SIGTERM, and has more time than draining takes', () => {
    const unit = codeWith('[Service]');
    expect(unit).toMatch(/^KillSignal=SIGTERM$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10);
    for (const line of unit.split('\n').filter(Boolean)) expect(line).toMatch(/^(\[\w+\]|[A-Z]\w+=\S.*)$/);
  });
});
