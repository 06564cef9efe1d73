import { checkClient, type ClientRow } from 'oauth-query';
import { storedClients } from 'oauth-query/clients';
import { oauthQuery } from 'oauth-query/node';
import { selfRegistration } from 'oauth-query/self-registration';
import { memoryStore } from 'oauth-query/stores/memory';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../src/clients/documents/client-document.js';
import { checkRegistration } from '../../../src/core/oauth/clients/check-registration.js';
import { LIMIT } from '../../../src/features/self-registration/registrations.js';
import { APP, DOCUMENT } from '../../clients/support/publisher.js';
import { Client, oneHostEach } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { fixture } from '../support/fixture.js';
import { constantsOfTest } from '../support/limits.js';
import { register } from '../support/tokens.js';

const [anyHost] = oneHostEach;
const { start } = anyHost;

const REDIRECT = { redirect_uris: ['https://app.example/cb'] };
const RULES = {
  scopes: new Set<string>(),
  requirePkce: false,
  refreshTokens: true,
};

/** Fails at every door: a list, `checkClient`, stored clients, and the rows of a registry. */
const isRefusedOfOperators = async (fields: object, sentence: string): Promise<void> => {
  const client = { client_id: 'web', ...REDIRECT, ...fields };
  expect(checkClient(client as ClientRow).join(' ')).toContain(sentence);
  const options = { issuer: 'http://127.0.0.1:1', onWarning: () => undefined, store: memoryStore() };
  expect(() => oauthQuery({ ...options, clients: [client] })).toThrow(sentence);
  await expect(storedClients(memoryStore()).add(client)).rejects.toThrow(sentence);
  const { options: given, errors } = fixture({
    clients: [{ find: (id) => ({ ...client, client_id: id }) as ClientRow }],
  });
  const host = await start({ options: given });
  const answer = await new Client(host.base).get('/oauth/authorize?response_type=code&client_id=row');
  expect([answer.status, String(errors[0])]).toEqual([400, expect.stringContaining(sentence)]);
};

const problemOfDocument = (changes: object): string => {
  try {
    readDocument(APP, { ...DOCUMENT, ...changes });
    return 'none';
  } catch (error) {
    return String(error);
  }
};

describe('a redirect URI that misleads, or could run code, is refused', () => {
  const WRONG = [
    'https:bank.example/cb',
    'https:/bank.example/cb',
    'https:\\\\bank.example\\cb',
    'https:///bank.example/cb',
    'https:////bank.example/cb',
    'https:/\\bank.example/cb',
    'HTTPS:bank.example/cb',
    'https://b%61nk.example/cb',
    'https://bank.example:/cb',
    'https://bank.example:0443/cb',
    'https://@bank.example/cb',
    'https://bank.example@a.example/cb',
    'http:127.0.0.1/cb',
    'http://127.1/cb',
    'http://2130706433/cb',
    'http://[0::1]/cb',
    'http://127.0.0.1:0/cb',
    'http://a.example/cb',
    'http://127.0.0.1.a.example/cb',
    'https://user:pass@a.example/cb',
    'https://a.example/cb#',
    'https://*.example/cb',
    'https://a.example/\u202e',
    '//a.example/cb',
    ' javascript:alert(1)',
    'JaVaScRiPt:alert(1)//https://a.example',
    ...['javascript', 'data', 'vbscript', 'file', 'blob', 'about', 'view-source', 'filesystem'].map(
      (scheme) => `${scheme}:x`,
    ),
    ...['code', 'state', 'error', 'error_description', 'error_uri', 'iss', 'c%6Fde'].map(
      (name) => `https://a.example/cb?${name}=1`,
    ),
  ];

  test('#21 in a list, in checkClient, in stored clients and in the row of a registry (RFC 6749 §3.1.2; RFC 7591 §5)', () =>
    everyRow(WRONG, (uri) => isRefusedOfOperators({ redirect_uris: [uri] }, `redirect URI ${JSON.stringify(uri)} `)));

  test('at registration', async () => {
    constantsOfTest(LIMIT, { registrations: 1000 });
    const host = await start(fixture({ features: [selfRegistration()] }));
    await everyRow(WRONG, async (uri) => {
      const { status, json } = await register(host.base, { redirect_uris: [uri] });
      expect([status, json['error']]).toEqual([400, 'invalid_redirect_uri']);
    });
    await everyRow(RIGHT, async (uri) => {
      expect((await register(host.base, { redirect_uris: [uri] })).status).toBe(201);
    });
  });

  test('in a client document, where others are omitted', () =>
    everyRow(WRONG, (uri) => {
      expect(problemOfDocument({ redirect_uris: [uri] })).toContain('One of redirect_uris ');
      const read = readDocument(APP, { ...DOCUMENT, redirect_uris: [uri, 'https://app.example/cb'] });
      expect(read.redirect_uris).toEqual(['https://app.example/cb']);
    }));

  const RIGHT = [
    'https://bank.example/cb',
    'https://Bank.Example/cb',
    'HTTPS://bank.example/cb',
    'https://bank.example:443/cb',
    'https://bank.example:8443/cb',
    'https://xn--bcher-kva.example/cb',
    'https://192.0.2.1/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:80/cb',
    'http://[::1]:5000/cb',
    'http://localhost',
    'https://a.example/cb?x=1',
  ];

  test('but not for the case of its letters, its port or its query', () =>
    everyRow(RIGHT, (uri) => {
      expect(checkClient({ client_id: 'web', redirect_uris: [uri] })).toEqual([]);
    }));
});

test('the addresses of a client that pages link to need // and a host as well', () =>
  everyRow(
    ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri'].flatMap((name) =>
      [
        'https:bank.example',
        'https:/bank.example',
        'https:\\\\bank.example',
        'https:///bank.example',
        'https://b%61nk.example',
        'https://bank.exa\tmple/',
        'https://bank.example/\nx',
        ' https://bank.example/',
      ].map((address) => [name, address] as const),
    ),
    ([name, address]) => {
      expect(checkClient({ client_id: 'web', ...REDIRECT, [name]: address }).join(' ')).toContain(`${name} must be an`);
    },
  ));

describe('the name of a client', () => {
  const NAMES = [
    ['Claude\u{e0041}', 'Claude'],
    ['Pay\u200bPal\u2060 \u{e0041}x', 'PayPal x'],
    ['Cl\u00adau\ufeffde', 'Claude'],
    ['Cafe\u0301', 'Café'],
    ['Cafe\u200b\u0301', 'Café'],
    ['a \u200b b\n c', 'a b c'],
    ['\u202eevil', 'evil'],
    ['\ud800Claude', 'Claude'],
    ['Claude\u0000\u001b[31m', 'Claude[31m'],
    ['\u200b\u200b', undefined],
    ['\u2060\ufeff\u00ad', undefined],
    ['\u3164', undefined],
    ['\u2800\u2800', undefined],
    ['\u0301', undefined],
    ['\u3000', undefined],
    ['🤖', '🤖'],
    ['漢'.repeat(100), '漢'.repeat(100)],
    ['🤖'.repeat(100), '🤖'.repeat(100)],
  ] as const;

  test('has no invisible character, whoever describes the client', async () => {
    constantsOfTest(LIMIT, { registrations: 1000 });
    const host = await start(fixture({ features: [selfRegistration()] }));
    await everyRow(NAMES, async ([given, shown]) => {
      const { json } = await register(host.base, { ...REDIRECT, client_name: given });
      expect(json['client_name']).toBe(shown);
      if (shown === undefined) expect(problemOfDocument({ client_name: given })).toContain('no visible character');
      else expect(readDocument(APP, { ...DOCUMENT, client_name: given }).client_name).toBe(shown);
      // For a client of the operator, its client_id is a name too.
      const { client } = checkRegistration({ client_id: 'web', ...REDIRECT, client_name: given }, RULES);
      expect(client?.name).toBe(shown ?? 'web');
    });
  });

  test('has at most 100 characters, whoever describes the client', () =>
    everyRow(['x'.repeat(101), '🤖'.repeat(101), `Z${'\u0301'.repeat(31)}`], async (client_name) => {
      await isRefusedOfOperators({ client_name }, 'client_name must be a string of at most 100 characters');
      expect(problemOfDocument({ client_name })).toContain('client_name must be a string of at most 100 characters');
    }));
});

test('a key with a private or symmetric part is refused, whoever describes the client', () =>
  everyRow(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'], async (name) => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', [name]: 'AAAA' };
    await isRefusedOfOperators({ jwks: { keys: [key] } }, 'without any private member');
    expect(problemOfDocument({ jwks: { keys: [key] } })).toContain('private or symmetric');
  }));
