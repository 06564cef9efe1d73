import { describe, expect, test } from 'vitest';
import { hostFor } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { ProofMaker } from '../dpop/keys.js';
import { at, EXCHANGE, type ExchangeSite, TYPE, useExchange } from './support.js';

const KINDS = ['of a user', 'of a client', 'exchanged', 'for another service'] as const;
const TYPES = ['access_token', 'jwt', 'id_token', 'refresh_token', 'saml2'] as const;
const TARGETS = ['allowed', 'not allowed', 'none'] as const;
const BINDINGS = ['bearer', 'bound'] as const;

type Kind = (typeof KINDS)[number];
type Binding = (typeof BINDINGS)[number];

/** One subject token of each kind, for the service `notes` or not. */
const subject = async (site: ExchangeSite, kind: Kind, binding: Binding, key: ProofMaker): Promise<string> => {
  const by = binding === 'bound' ? key : undefined;
  if (kind === 'of a client') return site.ofService('mail', 'notes', by);
  if (kind === 'exchanged') {
    const answer = await site.exchange('mail', await site.ofAlice('mail'), { resource: at('notes') }, by);
    return String(answer.json['access_token']);
  }
  const target = kind === 'of a user' ? 'notes' : 'search';
  return by === undefined ? site.ofAlice(target) : site.boundOfAlice(by, target);
};

describe.each([
  ['opaque', {}],
  ['signed', { jwt: true }],
] as const)('every kind of subject, type, target and binding, %s', (format, options) => {
  const site = useExchange(hostFor(import.meta.url)[0], options);
  const key = new ProofMaker();

  test('is decided', async () => {
    const subjects = new Map<string, string>();
    const rows = KINDS.flatMap((kind) =>
      BINDINGS.flatMap((binding) =>
        TYPES.flatMap((type) => TARGETS.map((target) => [kind, binding, type, target] as const)),
      ),
    );
    expect(rows).toHaveLength(120);
    let granted = 0;
    await everyRow(rows, async ([kind, binding, type, target]) => {
      const name = `${kind} ${binding}`;
      const token = subjects.get(name) ?? (await subject(site, kind, binding, key));
      subjects.set(name, token);
      const resource = target === 'allowed' ? { resource: at('search') } : { resource: at('notes') };
      const form = {
        ...{ grant_type: EXCHANGE, subject_token: token, subject_token_type: TYPE + type, scope: 'content.read' },
        ...(target === 'none' ? {} : resource),
      };
      // Sixty in a minute; this is about the decision.
      site.fixture.advance(1);
      const answer = await site.token('notes', form);
      const isOurType = type === 'access_token' || (type === 'jwt' && format === 'signed');
      const error = !isOurType
        ? 'invalid_request'
        : kind === 'for another service'
          ? 'invalid_request'
          : target === 'allowed'
            ? undefined
            : 'invalid_target';
      expect([answer.status, answer.json['error']]).toEqual([error === undefined ? 200 : 400, error]);
      if (error !== undefined) return;
      granted += 1;
      // The key of the subject token is not that of the service.
      const { act, sub, client_id, aud, cnf } = await site.introspect(String(answer.json['access_token']));
      expect({ sub, client_id, aud, cnf }).toEqual({
        ...{ sub: kind === 'of a client' ? 'client:mail' : 'alice', client_id: 'notes', aud: at('search') },
        cnf: undefined,
      });
      expect(act).toEqual({
        ...{ sub: 'client:notes', client_id: 'notes' },
        ...(kind === 'exchanged' && { act: { sub: 'client:mail', client_id: 'mail' } }),
      });
    });
    expect(granted).toBe(format === 'signed' ? 12 : 6);
  });
});
