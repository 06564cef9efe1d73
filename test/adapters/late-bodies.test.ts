import { connect } from 'node:net';
import { selfRegistration } from 'oauth-query/self-registration';
import { describe, expect, test } from 'vitest';
import { query } from '../../src/core/query/index.js';
import { mcp } from '../../src/mcp/index.js';
import { everyTransport } from '../hosts.js';
import { fixture } from '../oauth/support/fixture.js';

/** Sends the first half of a body and waits for what comes, until the server closes the connection. */
const sendHalf = (base: string, path: string, type: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(base);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(60_000, () => socket.destroy(new Error(`nothing closed the connection: ${text}`)));
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(text.slice(9, 12)), text }));
    socket.write(
      `POST ${pathname === '/' ? '' : pathname}${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(500)}`,
    );
  });

const FORM = 'application/x-www-form-urlencoded';

// In front of us, a parser of the application reads bodies itself.
describe.each(everyTransport.filter(({ mount }) => mount === 'bare'))('$name', ({ start }) => {
  test('a body that does not arrive before the deadline of its request is 408, and its connection ends: at every endpoint', async () => {
    const { options, errors } = fixture({
      timeout: 200,
      features: [query(), mcp(), selfRegistration()],
    });
    const host = await start({ options });
    const answers = await Promise.all([
      sendHalf(host.base, '/oauth/token', FORM),
      sendHalf(host.base, '/oauth/register', 'application/json'),
      sendHalf(host.base, '/api', FORM),
      sendHalf(host.base, '/api', 'multipart/form-data; boundary=x'),
      sendHalf(host.base, '/mcp', 'application/json'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([408, 408, 408, 408, 408]);
    for (const { text } of answers) expect(text).toContain('did not arrive in time');
    expect(errors).toEqual([]);
  });
});
