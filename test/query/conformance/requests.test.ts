import { describe, expect, test } from 'vitest';
import { hostFor } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { startQuery } from '../fixture.js';
import { startJoined } from '../joined.js';

const host = useStarted(() => startQuery({ cors: ['https://app.example'] }));

describe.each(hostFor(import.meta.url))('on $name', (setup) => {
  const joined = useStarted(() => startJoined(setup, { modules: { allpages: () => [{ ns: 0, title: 'Apple' }] } }));

  test('request-1: the plus sign in the path of a module may be encoded', async () => {
    for (const name of ['query+allpages', 'query%2Ballpages', 'query%2ballpages']) {
      const answer = await fetch(`${joined.api}/${name}?format=json&formatversion=2`);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(await answer.json()).toMatchObject({ query: { allpages: [{ ns: 0, title: 'Apple' }] } });
    }
    expect((await fetch(`${joined.api}/query%2Bnosuch`)).status).toBe(404);
    expect((await fetch(`${joined.api}/query%252Ballpages`)).status).toBe(404);
  });
});

describe('a callback', () => {
  test('request-2: is not called if it is invalid, and the caller stays anonymous', async () => {
    for (const [callback, code] of [
      ['%1Fcb', 'badvalue'],
      ['x'.repeat(9000), 'maxchars'],
    ]) {
      const { json, headers } = await host.raw(`action=query&format=json&callback=${callback}`, {
        headers: { authorization: 'Bearer alice' },
      });
      expect(json['error']?.['code']).toBe(code);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('mediawiki-login-suppressed')).toBe('true');
    }
  });
});

describe('the format of a response', () => {
  const varyOf = async (query: string, headers = {}): Promise<string | null> =>
    (await host.raw(query, { headers })).headers.get('vary');

  test('request-3: depends on `Accept` if no known format is named, and `Vary` says so', async () => {
    const usual = 'Accept-Encoding, Treat-as-Untrusted, Authorization';
    for (const headers of [{}, { accept: 'text/html' }]) {
      expect(await varyOf('action=query', headers)).toBe(`${usual}, Accept`);
      expect(await varyOf('action=nosuch', headers)).toBe(`${usual}, Accept`);
    }
    expect(await varyOf('action=query&format=json')).toBe(usual);
    expect(await varyOf('action=query&format=nosuch')).toBe(`${usual}, Accept`);
    const origin = 'https://app.example';
    expect(await varyOf(`action=query&origin=${origin}`, { origin })).toBe(`${usual}, Origin, Accept`);
    expect(await varyOf(`action=query&format=json&origin=${origin}`, { origin })).toBe(`${usual}, Origin`);
  });
});
