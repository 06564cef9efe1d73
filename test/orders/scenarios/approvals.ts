import { pushedRequests } from 'oauth-query/par';
import { scenario, type Scenario } from '../explore.js';
import { type About, codeIn } from '../history.js';
import {
  CALLBACK,
  consentForm,
  createToken,
  decideDevice,
  deviceCodes,
  deviceForm,
  endGrants,
  endTokens,
  erase,
  introspect,
  OPTIONS,
  poll,
  press,
  secretOf,
  send,
  tokenForm,
  tokenOnPage,
} from '../requests.js';
import { DAY, SECOND } from '../world.js';

const REMEMBERING = { ...OPTIONS, lifetimes: { rememberedConsent: 30 * 86_400 } };

const form =
  (decision: 'approve' | 'deny') => (server: Parameters<typeof press>[0], shown: Parameters<typeof press>[1]) =>
    press(server, shown, decision);

export const FORMS: readonly Scenario[] = [
  scenario({ name: 'a form is approved and approved', before: consentForm, acts: [form('approve'), form('approve')] }),
  scenario({ name: 'a form is approved and denied', before: consentForm, acts: [form('approve'), form('deny')] }),
  scenario({ name: 'a form is approved, and owners.erase', before: consentForm, acts: [form('approve'), erase] }),
  scenario({
    name: 'a form whose approval is remembered is approved, and grants.revoke of its owner',
    options: REMEMBERING,
    before: consentForm,
    acts: [form('approve'), endGrants({ sub: 'alice' })],
  }),
  scenario({
    name: 'two forms of one owner are approved',
    options: REMEMBERING,
    before: async (world) => [await consentForm(world), await consentForm(world, { state: 'x' })] as const,
    acts: [(server, [one]) => press(server, one, 'approve'), (server, [, other]) => press(server, other, 'approve')],
  }),
];

/** Polls once the device may. */
export const DEVICES: readonly Scenario[] = [
  scenario({
    name: 'an approved device polls and polls',
    before: async (world) => {
      const { device_code, user_code } = await deviceCodes(world);
      await decideDevice(world.outside, await deviceForm(world, user_code), 'approve');
      return device_code;
    },
    acts: [poll, poll],
  }),
  scenario({
    name: 'an approved device polls, and grants.revoke of its owner',
    before: async (world) => {
      const { device_code, user_code } = await deviceCodes(world);
      await decideDevice(world.outside, await deviceForm(world, user_code), 'approve');
      return device_code;
    },
    acts: [poll, endGrants({ sub: 'alice' })],
  }),
  scenario({
    name: 'a device polls while its owner approves',
    before: async (world) => {
      const { device_code, user_code } = await deviceCodes(world);
      return { device_code, shown: await deviceForm(world, user_code) };
    },
    acts: [
      (server, { device_code }) => poll(server, device_code),
      (server, { shown }) => decideDevice(server, shown, 'approve'),
    ],
  }),
  scenario({
    name: 'a device is approved and denied',
    before: async (world) => {
      const { device_code, user_code } = await deviceCodes(world);
      return { device_code, shown: await deviceForm(world, user_code) };
    },
    acts: [
      (server, { shown }) => decideDevice(server, shown, 'approve'),
      (server, { shown }) => decideDevice(server, shown, 'deny'),
    ],
  }),
  scenario({
    name: 'a device polls in the second in which its code ends',
    before: async (world) => {
      const { device_code, user_code } = await deviceCodes(world);
      await decideDevice(world.outside, await deviceForm(world, user_code), 'approve');
      world.now += 600 * SECOND - 1;
      return device_code;
    },
    acts: [poll, poll],
  }),
];

export const DEVICE_THREE = scenario({
  name: 'a device polls and polls while its owner approves',
  before: async (world) => {
    const { device_code, user_code } = await deviceCodes(world);
    return { device_code, shown: await deviceForm(world, user_code) };
  },
  acts: [
    (server, { device_code }) => poll(server, device_code),
    (server, { device_code }) => poll(server, device_code),
    (server, { shown }) => decideDevice(server, shown, 'approve'),
  ],
});

export const PERSONAL: readonly Scenario[] = [
  scenario({
    name: 'a personal token is created twice with one form',
    before: tokenForm,
    acts: [createToken, createToken],
  }),
  scenario({
    name: 'a personal token is created, and all are ended',
    before: async (world) => {
      await createToken(world.outside, await tokenForm(world));
      return { making: await tokenForm(world), ending: await tokenForm(world) };
    },
    acts: [(server, { making }) => createToken(server, making), (server, { ending }) => endTokens(server, ending)],
  }),
  scenario({
    name: 'personal tokens of different lifetimes, and "revoke all"',
    before: async (world) => {
      await createToken(world.outside, await tokenForm(world));
      world.now += 3 * DAY;
      const made = await createToken(world.outside, await tokenForm(world), '365');
      world.now += 12 * DAY;
      const live = await introspect(world.outside, tokenOnPage(made) ?? '');
      if (live.json['active'] !== true) throw new Error('There is no token of a year.');
      return tokenForm(world);
    },
    acts: [endTokens],
  }),
];

const CODE_REQUEST = { response_type: 'code', redirect_uri: CALLBACK };

export const PUSHED = scenario({
  name: 'a pushed request is used and used',
  options: { ...OPTIONS, par: pushedRequests() },
  before: async ({ outside }) => {
    const { json } = await send(outside, '/oauth/par', [], { form: { ...secretOf('app'), ...CODE_REQUEST } });
    return String(json['request_uri']);
  },
  acts: [1, 2].map(() => async (server: Parameters<typeof poll>[0], request_uri: string) => {
    const query = new URLSearchParams({ client_id: 'app', request_uri });
    const about = (): readonly About[] => [
      { type: 'approve', sub: 'alice', client_id: 'app', scope: 'a' },
      { type: 'use', thing: 'pushed request', text: request_uri, client_id: 'app', again: ask },
    ];
    const ask = (at: Parameters<typeof poll>[0]): Promise<unknown> =>
      send(at, `/oauth/authorize?${query.toString()}`, about());
    return codeIn(await ask(server));
  }),
});
