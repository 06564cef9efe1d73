import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateKey } from '../../src/core/oauth/keys/signing-keys.js';
import { type Answer, oneHostEach, useHost } from '../hosts.js';
import { everyRow } from '../rows.js';
import { fixture } from './support/fixture.js';
import {
  type Access,
  type Code,
  type Device,
  Model,
  type Outcome,
  type Refresh,
  type Refreshing,
} from './support/model.js';
import { isTidyUp } from './support/stores.js';
import { type DeviceCodes, Flows } from './support/tokens.js';

const KEEPER = {
  client_id: 'keeper',
  client_secret: 'keeper-secret',
  redirect_uris: ['https://keeper.example/cb'],
  refresh: 'reusable',
} as const;
const SIGN = { client_id: 'sign', grant_types: ['device_code'], scope: 'profile' } as const;

const CODE_CLIENTS: Readonly<Record<string, Refreshing>> = {
  web: 'rotating',
  native: 'rotating',
  spa: 'none',
  keeper: 'reusable',
};
const DEVICE_CLIENTS: Readonly<Record<string, Refreshing>> = { tv: 'rotating', box: 'rotating', sign: 'none' };

/** Just before, at and just after everything that can end soon, and everything that ends later. */
const SHORT_WAITS = [1, 5, 9, 10];
const LONG_WAITS = [50, 59, 60, 119, 120, 540, 599, 600, 3599, 3600, 3660, 14 * 86_400 - 1, 14 * 86_400, 76 * 86_400];

/** The real server, and what it has given out for the things of the model. */
interface Real {
  readonly flows: Flows;
  advance(seconds: number): void;
  /** From here on the server dies before an answer has left, as far as the store can see. */
  loseAnswers(isLost: boolean): void;
  readonly values: Map<object, string>;
  readonly devices: Map<Device, DeviceCodes>;
}

/** Random sequences for each kind of token; `MODEL=1000` takes minutes. */
const RUNS = Number(process.env['MODEL'] ?? 10);

type Command = fc.AsyncCommand<Model, Real>;

/** A command on one of the things of a list, counted from the youngest: what is done to it soon after is worth most. */
const on = <T>(
  name: string,
  list: (model: Readonly<Model>) => readonly T[],
  index: number,
  run: (thing: T, model: Model, real: Real) => Promise<void>,
  check: (thing: T, model: Readonly<Model>) => boolean = () => true,
): Command => {
  const pick = (model: Readonly<Model>): T | undefined =>
    list(model).at(-1 - (index % Math.max(1, list(model).length)));
  return {
    check: (model) => {
      const thing = pick(model);
      return thing !== undefined && check(thing, model);
    },
    run: async (model, real) => {
      const thing = pick(model);
      if (thing !== undefined) await run(thing, model, real);
    },
    toString: () => `${name}[${index}]`,
  };
};

const always = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const valueOf = (thing: object, { values }: Real): string => values.get(thing) ?? '';

/** Compares an answer with what the model says, and remembers the tokens in it. */
const expectOutcome = (answer: Answer, outcome: Outcome, model: Model, { values }: Real): void => {
  const { status, json } = answer;
  if (typeof outcome === 'string') {
    expect({ status, error: json['error'] }).toEqual({ status: 400, error: outcome });
    return;
  }
  expect(status).toBe(200);
  expect(json['expires_in']).toBe(model.expiresIn(outcome.access));
  for (const [thing, value] of [
    [outcome.access, json['access_token']],
    [outcome.refresh, json['refresh_token']],
  ] as const) {
    expect(value === undefined).toBe(thing === undefined);
    if (thing === undefined) continue;
    // A retry gets what was given before; everything else is new.
    if (values.has(thing)) expect(value).toBe(values.get(thing));
    else expect([...values.values()]).not.toContain(value);
    values.set(thing, String(value));
  }
};

const expectSameTokens = async (model: Model, real: Real): Promise<void> => {
  for (const token of [...model.accesses, ...model.refreshes]) {
    expect(await real.flows.isActive(valueOf(token, real))).toBe(model.isActive(token));
  }
};

const tokensOf = ({ accesses, refreshes }: Readonly<Model>): readonly (Access | Refresh)[] => [
  ...accesses,
  ...refreshes,
];

const authorize = (client: string): Command =>
  always(`authorize(${client})`, async (model, real) => {
    const code = model.authorize(client, CODE_CLIENTS[client] ?? 'none');
    real.values.set(code, await real.flows.code(client));
  });

/** Allowed and redeemed in one go. */
const issue = (client: string): Command =>
  always(`issue(${client})`, async (model, real) => {
    const code = model.authorize(client, CODE_CLIENTS[client] ?? 'none');
    const value = await real.flows.code(client);
    real.values.set(code, value);
    expectOutcome(await real.flows.redeem(client, value), model.redeem(code, client, true), model, real);
  });

const redeem = (index: number, isRight: boolean, stranger: boolean): Command =>
  on<Code>(
    `redeem(${isRight ? 'right' : 'wrong'} verifier, ${stranger ? 'stranger' : 'owner'})`,
    ({ codes }) => codes,
    index,
    async (code, model, real) => {
      const owner = code.grant.client;
      const client = stranger ? (owner === 'web' ? 'keeper' : 'web') : owner;
      const form = {
        redirect_uri: real.flows.redirectUri(owner),
        ...(isRight ? {} : { code_verifier: 'x'.repeat(43) }),
      };
      const answer = await real.flows.redeem(client, valueOf(code, real), form);
      expectOutcome(answer, model.redeem(code, client, isRight), model, real);
    },
  );

/** @param isSent - Whether the process that rotates the token lives long enough to send the answer. */
const refresh = (index: number, scope: string, stranger: boolean, isSent = true): Command =>
  on<Refresh>(
    `refresh(${scope}${stranger ? ', stranger' : ''}${isSent ? '' : ', lost'})`,
    ({ refreshes }) => refreshes,
    index,
    async (token, model, real) => {
      const client = stranger ? (token.client === 'web' ? 'keeper' : 'web') : token.client;
      real.loseAnswers(!isSent);
      const answer = await real.flows.refresh(client, valueOf(token, real), { scope });
      real.loseAnswers(false);
      expectOutcome(answer, model.refresh(token, client, scope, isSent), model, real);
    },
  );

const revoke = (index: number, stranger: boolean): Command =>
  on<Access | Refresh>(`revoke${stranger ? '(stranger)' : ''}`, tokensOf, index, async (token, model, real) => {
    const client = stranger ? (token.client === 'web' ? 'keeper' : 'web') : token.client;
    const answer = await real.flows.revoke(client, valueOf(token, real));
    const refused = model.revoke(token, client);
    expect([answer.status, answer.json]).toEqual(
      refused === undefined ? [200, {}] : [400, expect.objectContaining({ error: refused })],
    );
  });

const startDevice = (client: string): Command =>
  always(`device(${client})`, async (model, real) => {
    real.devices.set(model.startDevice(client, DEVICE_CLIENTS[client] ?? 'none'), await real.flows.device(client));
  });

const decide = (index: number, decision: 'approve' | 'deny'): Command =>
  on<Device>(
    decision,
    ({ devices }) => devices,
    index,
    async (device, model, real) => {
      const codes = real.devices.get(device);
      if (codes === undefined) throw new Error('There is no such device.');
      expect((await real.flows.decide(codes, decision)).status).toBe(200);
      model.decide(device, decision);
    },
    (device, model) => model.awaitsDecision(device),
  );

const poll = (index: number, stranger: boolean): Command =>
  on<Device>(
    `poll${stranger ? '(stranger)' : ''}`,
    ({ devices }) => devices,
    index,
    async (device, model, real) => {
      const client = stranger ? (device.client === 'tv' ? 'box' : 'tv') : device.client;
      const answer = await real.flows.poll(client, real.devices.get(device)?.device_code ?? '');
      expectOutcome(answer, model.poll(device, client), model, real);
    },
  );

const wait = (seconds: number): Command =>
  always(`wait(${seconds})`, async (model, real) => {
    real.advance(seconds);
    model.now += seconds;
  });

const ownToken = always('own token', async (model, real) => {
  expectOutcome(
    await real.flows.token('service', { grant_type: 'client_credentials' }),
    model.ownToken('service'),
    model,
    real,
  );
});

const introspect = always('introspect everything', expectSameTokens);

/** Mostly the youngest or the one before it. */
const index = fc.oneof({ weight: 4, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(30) });
const rarely = fc.integer({ min: 0, max: 11 }).map((n) => n === 0);

const kinds = {
  issuing: fc.constantFrom(...Object.keys(CODE_CLIENTS)).map(issue),
  authorizing: fc.constantFrom(...Object.keys(CODE_CLIENTS)).map(authorize),
  redeeming: fc
    .tuple(
      index,
      rarely.map((wrong) => !wrong),
      rarely,
    )
    .map((args) => redeem(...args)),
  refreshing: fc
    .tuple(
      index,
      fc.constantFrom('profile content.read', 'content.read profile', 'profile'),
      rarely,
      rarely.map((lost) => !lost),
    )
    .map((args) => refresh(...args)),
  waiting: fc.constantFrom(...SHORT_WAITS).map(wait),
  waitingLong: fc.constantFrom(...LONG_WAITS).map(wait),
  revoking: fc.tuple(index, rarely).map((args) => revoke(...args)),
  starting: fc.constantFrom(...Object.keys(DEVICE_CLIENTS)).map(startDevice),
  deciding: fc.tuple(index, fc.constantFrom('approve', 'approve', 'deny')).map((args) => decide(...args)),
  polling: fc.tuple(index, rarely).map((args) => poll(...args)),
  owning: fc.constant(ownToken),
  introspecting: fc.constant(introspect),
};

/** How often each kind comes: what keeps chains alive more often than what ends them. */
const WEIGHTS: Readonly<Record<keyof typeof kinds, number>> = {
  ...{ issuing: 3, authorizing: 2, redeeming: 2, refreshing: 8, waiting: 4, waitingLong: 1 },
  ...{ revoking: 1, starting: 2, deciding: 2, polling: 5, owning: 1, introspecting: 1 },
};

const commands = fc.commands(
  Object.entries(WEIGHTS).flatMap(([kind, weight]) =>
    Array.from({ length: weight }, () => kinds[kind as keyof typeof kinds]),
  ), // Its own keys.
  { maxCommands: 80, size: 'max' },
);

const SCOPE = 'profile content.read';

/** Sequences that chance finds too seldom. */
const RARE: Readonly<Record<string, readonly Command[]>> = {
  'a device without refresh that polls late': [
    startDevice('sign'),
    decide(0, 'approve'),
    wait(599),
    poll(0, false),
    wait(3599),
    introspect,
  ],
  'a refresh token of a device that is as old as it can get': [
    startDevice('tv'),
    decide(0, 'approve'),
    wait(599),
    poll(0, false),
    wait(14 * 86_400 - 1),
    refresh(0, SCOPE, false),
  ],
  'failed replays before a valid one': [
    ...[
      issue('web'),
      redeem(0, false, false),
      redeem(0, false, false),
      redeem(0, false, false),
      redeem(0, false, false),
    ],
    ...[introspect, redeem(0, true, false), introspect],
  ],
  'a valid replay after the code has ended': [
    issue('spa'),
    wait(60),
    redeem(0, false, false),
    introspect,
    redeem(0, true, false),
  ],
  'a retry at the end of the grace window, and one after it': [
    ...[
      issue('native'),
      refresh(0, SCOPE, false),
      wait(9),
      refresh(1, SCOPE, false),
      introspect,
      wait(1),
      refresh(1, SCOPE, false),
    ],
  ],
  'a retry of a refresh whose successor was revoked': [
    issue('web'),
    refresh(0, SCOPE, false),
    revoke(0, false),
    refresh(1, SCOPE, false),
    introspect,
  ],
  'a replay after the token would have ended': [
    ...[issue('web'), wait(14 * 86_400 - 1), refresh(0, SCOPE, false), wait(50), refresh(1, SCOPE, false), introspect],
  ],
  'a retry in the grace window, after the token would have ended': [
    ...[issue('web'), wait(14 * 86_400 - 1), refresh(0, SCOPE, false), wait(5), refresh(1, SCOPE, false), introspect],
    ...[wait(4), refresh(0, SCOPE, false), refresh(2, SCOPE, false), introspect],
  ],
  'a repetition days after an answer that never left, and again after one that did': [
    ...[issue('web'), refresh(0, SCOPE, false, false), wait(59), refresh(1, SCOPE, false, false), wait(76 * 86_400)],
    ...[introspect, issue('native'), refresh(0, SCOPE, false, false), wait(3600), refresh(1, SCOPE, false), introspect],
    ...[refresh(1, SCOPE, false), introspect, wait(10), refresh(1, SCOPE, false), introspect],
  ],
  'a repetition of another order, and one that asks for less': [
    ...[issue('web'), refresh(0, SCOPE, false, false), wait(60), refresh(1, 'content.read profile', false), introspect],
    ...[issue('web'), refresh(0, SCOPE, false, false), refresh(1, 'profile', false), introspect],
  ],
  'an answer that never left, after its token was revoked': [
    ...[issue('web'), refresh(0, SCOPE, false, false), wait(60), refresh(1, SCOPE, false, false), revoke(2, false)],
    ...[refresh(1, SCOPE, false), introspect],
  ],
  'rotation up to the absolute end': [
    ...[issue('web'), ...Array.from({ length: 6 }, () => [wait(14 * 86_400 - 1), refresh(0, SCOPE, false)]).flat()],
    ...[wait(5 * 86_400), refresh(0, SCOPE, false), introspect, wait(86_400), introspect, refresh(0, SCOPE, false)],
  ],
};

const opaque = oneHostEach.slice(1, 2).map((host) => ({ host, kind: 'opaque', more: {} }));
/** EdDSA signs the same text in the same way, so a retry gets the same token here, too. */
const jwt = oneHostEach
  .slice(0, 1)
  .map((host) => ({ host, kind: 'JWT', more: { jwt: [{ key: generateKey('EdDSA') }] } }));

describe.each([...opaque, ...jwt])(
  'the protocol as a state machine on $host.name with $kind access tokens',
  ({ host, more }) => {
    const { options, store, advance, clock, errors } = fixture({ clients: [KEEPER, SIGN], ...more });
    let isLost = false;
    const swap: typeof store.swap = (...record) =>
      isLost && isTidyUp(record[2]) ? Promise.resolve(false) : store.swap(...record);
    const { add, get, delete: remove } = store;
    const lossy = { add, swap, get, delete: remove };
    const running = useHost(host, { options: { ...options, store: lossy } }, errors);
    const flows = new Flows(running, [KEEPER, SIGN]);

    const play = async (sequence: Iterable<Command>): Promise<void> => {
      const model = new Model(clock() / 1000);
      const loseAnswers = (lose: boolean): void => {
        isLost = lose;
      };
      const real: Real = { flows, advance, loseAnswers, values: new Map(), devices: new Map() };
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      await expectSameTokens(model, real);
    };

    test('every sequence of issue, redeem, refresh, replay, revoke, approve, deny and waiting agrees with the reference model', async () => {
      // What fails is reported with its seed and path, and shrunk to the shortest sequence. No time limit of fast-check:
      // a run that it interrupts runs during the next test and moves that one's clock.
      await fc.assert(fc.asyncProperty(commands, play), { numRuns: RUNS });
    }, 600_000);

    test('so do rare sequences', () => everyRow(Object.entries(RARE), ([, sequence]) => play(sequence)));
  },
);
