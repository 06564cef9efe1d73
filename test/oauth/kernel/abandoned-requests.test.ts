import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Answer, eachFramework, type RunningHost } from '../../hosts.js';
import { Deadlines, fixture } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { Nodes, turns } from '../support/nodes.js';
import { Flows, refusal } from '../support/tokens.js';

/** Sends a form, and leaves without waiting for an answer. */
const sendAndLeave = (
  host: RunningHost,
  path: string,
  form: Readonly<Record<string, string>>,
  how: 'end' | 'destroy',
) =>
  new Promise<void>((resolve) => {
    const { hostname, port, pathname } = new URL(host.base);
    const body = new URLSearchParams(form).toString();
    const bytes =
      `POST ${pathname === '/' ? '' : pathname}${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.on('error', () => undefined).on('close', () => resolve());
    if (how === 'end')
      socket
        .end(bytes)
        .resume()
        .on('end', () => socket.destroy());
    else socket.write(bytes, () => socket.destroy());
  });

const ABANDONED = expect.stringContaining('A request was abandoned');

describe.each(eachFramework)('$name', ({ start }) => {
  test.each(['end', 'destroy'] as const)(
    'a used refresh token or code ends nothing if its client does not wait for the response (%s)',
    async (how) => {
      const { options, advance, errors, events } = fixture();
      const host = await start({ options });
      const flows = new Flows(host);
      const leave = (form: Readonly<Record<string, string>>) =>
        sendAndLeave(host, '/oauth/token', { ...form, client_id: 'native' }, how);
      const code = await flows.code('native');
      const redemption = flows.redemption('native', code);
      const first = JSON.parse((await flows.redeem('native', code)).text) as { refresh_token: string };
      const second = await flows.refreshed('native', first.refresh_token);
      advance(60);
      await leave(redemption);
      await leave({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
      await expect.poll(() => errors.map(String)).toEqual([ABANDONED, ABANDONED]);
      errors.splice(0);
      expect(events.filter(({ type }) => type === 'replay.detected')).toEqual([]);
      expect(await flows.areActive(second.access_token, second.refresh_token)).toEqual([true, true]);

      expect(refusal(await flows.redeem('native', code))).toEqual([400, 'invalid_grant']);
      expect(await flows.areActive(second.access_token, second.refresh_token), 'a client that waits').toEqual([
        false,
        false,
      ]);
    },
  );
});

describe('after options.timeout, with a slow store', () => {
  let nodes: Nodes;
  const deadlines = new Deadlines();

  const start = async () => {
    nodes = new Nodes({ runtime: { timer: deadlines.timer } });
    const gate = new Gate(nodes.shared.store);
    const { flows, errors } = await nodes.start({ between: () => gate.store });
    return { gate, slow: flows, errors, other: (await nodes.start()).flows };
  };
  /** Holds the first read of a request until its deadline has passed. */
  const answeredLate = async (gate: Gate, part: string, send: () => Promise<Answer>): Promise<() => Promise<void>> => {
    const { arrived, letGo } = gate.hold('getMany', part);
    const sent = send();
    await arrived;
    deadlines.pass();
    expect(refusal(await sent)).toEqual([503, 'temporarily_unavailable']);
    return async () => {
      letGo();
      await turns(50);
    };
  };

  test('the rest of a request uses nothing up: its client repeats it', async () => {
    const { gate, slow, errors } = await start();
    const code = await slow.code('native');
    await (
      await answeredLate(gate, ':chain:', () => slow.redeem('native', code))
    )();
    const redeemed = await slow.redeem('native', code);
    expect(redeemed.status).toBe(200);

    const token = String(redeemed.json['refresh_token']);
    await (
      await answeredLate(gate, ':grant:', () => slow.refresh('native', token))
    )();
    expect(nodes.chainOf(token)?.last).toBeNull();

    const codes = await slow.device('tv');
    const pollLate = () => answeredLate(gate, ':device:', () => slow.poll('tv', codes.device_code));
    await (
      await pollLate()
    )();
    expect(refusal(await slow.poll('tv', codes.device_code)), 'is not early').toEqual([400, 'authorization_pending']);
    await slow.decide(codes, 'approve');
    await (
      await pollLate()
    )();
    expect((await slow.poll('tv', codes.device_code)).status).toBe(200);
    expect(errors.map(String).filter((error) => error.includes('options.timeout'))).toHaveLength(4);
    expect(errors.map(String).filter((error) => error.includes('abandoned'))).toHaveLength(4);
  });

  test('the rest of a request ends nothing: what its client got by repeating it stays valid', async () => {
    const { gate, slow, other } = await start();
    const { events } = nodes.shared;
    const code = await slow.code('native');
    const redeemLate = await answeredLate(gate, ':chain:', () => slow.redeem('native', code));
    const redeemed = (await other.redeem('native', code)).json;
    await redeemLate();
    const [access, refresh] = [String(redeemed['access_token']), String(redeemed['refresh_token'])];
    expect(await other.areActive(access, refresh)).toEqual([true, true]);

    const refreshLate = await answeredLate(gate, ':grant:', () => slow.refresh('native', refresh));
    const next = await other.refreshed('native', refresh);
    const last = await other.refreshed('native', next.refresh_token);
    await refreshLate();
    expect(await other.areActive(last.access_token, last.refresh_token)).toEqual([true, true]);

    const codes = await slow.device('tv');
    await slow.decide(codes, 'approve');
    const pollLate = await answeredLate(gate, ':device:', () => slow.poll('tv', codes.device_code));
    const polled = (await other.poll('tv', codes.device_code)).json;
    await pollLate();
    expect(await other.areActive(String(polled['access_token']), String(polled['refresh_token']))).toEqual([
      true,
      true,
    ]);
    expect(events.filter(({ type }) => type === 'replay.detected' || type === 'grant.revoked')).toEqual([]);
  });

  test('an owner disconnects nothing that was allowed after the request', async () => {
    const { gate, slow, other } = await start();
    const browser = slow.browser();
    const page = await browser.signIn(await browser.open('/oauth/grants'));
    await other.tokens('native');
    const question = await browser.submit(page, { disconnect: 'native' });
    const { arrived, letGo } = gate.hold('getMany', '');
    const sent = browser.submit(question);
    await arrived;
    deadlines.pass();
    expect((await sent).status).toBe(503);
    const { access_token } = await other.tokens('native');
    letGo();
    await turns(50);
    expect(await other.isActive(access_token)).toBe(true);
    expect((await browser.submit(question)).status).toBe(303);
    expect(await other.isActive(access_token)).toBe(false);
  });
});
