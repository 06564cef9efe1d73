import { pushedRequests } from 'oauth-query/par';
import { parseRefreshToken } from '../../../src/core/oauth/records/token-id.js';
import { scenario, type Scenario } from '../explore.js';
import { type About, type Answer, codeIn, isAnswer, isDone, isSuccess, type Server, textOf } from '../history.js';
import {
  authorize,
  authorizePath,
  call,
  CALLBACK,
  consentForm,
  cookieOf,
  createToken,
  decideDevice,
  deviceCodes,
  deviceForm,
  DEVICE_GRANT,
  endGrants,
  endTokens,
  erase,
  introspect,
  OPTIONS,
  poll,
  press,
  redeem,
  secretOf,
  send,
  shown,
  type Shown,
  shownIn,
  tokenForm,
  tokenOnPage,
  tokensIn,
} from '../requests.js';
import { type Full, PASSING } from '../steps.js';
import { DAY, HOUR, ISSUER, SECOND, START, type World } from '../world.js';

const REMEMBERING = { ...OPTIONS, lifetimes: { rememberedConsent: 30 * 86_400 } };

const form =
  (decision: 'approve' | 'deny') => (server: Parameters<typeof press>[0], shown: Parameters<typeof press>[1]) =>
    press(server, shown, decision);

export const FORMS: readonly Scenario[] = [
  scenario({
    name: 'a form is approved and approved',
    setup: consentForm,
    succeed: 'each',
    requests: [form('approve'), form('approve')],
  }),
  scenario({
    name: 'a form is approved and denied',
    setup: consentForm,
    succeed: 'one',
    requests: [form('approve'), form('deny')],
  }),
  scenario({
    name: 'a form is approved, and owners.erase',
    setup: consentForm,
    succeed: 'each',
    requests: [form('approve'), erase],
  }),
  scenario({
    name: 'a form whose approval is remembered is approved, and grants.revoke of its owner',
    options: REMEMBERING,
    setup: consentForm,
    succeed: 'each',
    requests: [form('approve'), endGrants({ sub: 'alice' })],
  }),
  scenario({
    name: 'two forms of one owner are approved',
    options: REMEMBERING,
    setup: async (world) => [await consentForm(world), await consentForm(world, { state: 'x' })] as const,
    succeed: 'each',
    requests: [
      (server, [one]) => press(server, one, 'approve'),
      (server, [, other]) => press(server, other, 'approve'),
    ],
  }),
];

/** Whether the codes of a device that asked at the start have expired. */
const haveEnded = ({ now }: World): boolean => now >= START + 600 * SECOND;

/** An owner was asked about a device. */
const waitingDevice = async (world: World): Promise<{ readonly device_code: string; readonly shown: Shown }> => {
  const { device_code, user_code } = await deviceCodes(world);
  return { device_code, shown: await deviceForm(world, user_code) };
};

/** An owner has approved a device. */
const approvedDevice = async (world: World): Promise<string> => {
  const { device_code, shown } = await waitingDevice(world);
  await decideDevice(world.outside, shown, 'approve');
  return device_code;
};

/** Once its owner was told that a decision is made, a device gets it. */
const decided = async (
  world: World,
  { device_code }: { readonly device_code: string },
  answers: readonly unknown[],
): Promise<readonly string[]> => {
  const { outside, history } = world;
  const wasTold = answers.some((answer) => isSuccess(answer) && textOf(answer, 'access_token') === undefined);
  // A poll without a response may have used the code up.
  const isLost = history.some(({ about: [one], answer }) => one?.type === 'use' && !isDone(answer));
  if (!wasTold || isLost || haveEnded(world) || answers.some((answer) => textOf(answer, 'access_token') !== undefined))
    return [];
  const answer = await poll(outside, device_code);
  const isDenied = textOf(answer, 'error') === 'access_denied';
  return isDenied || isSuccess(answer) ? [] : ['P9: a decision about a device is lost'];
};

export const DEVICES: readonly Scenario[] = [
  scenario({
    name: 'an approved device polls and polls',
    setup: approvedDevice,
    succeed: 'one',
    requests: [poll, poll],
  }),
  scenario({
    name: 'an approved device polls, and grants.revoke of its owner',
    setup: approvedDevice,
    succeed: [1],
    requests: [poll, endGrants({ sub: 'alice' })],
  }),
  scenario({
    name: 'a device polls while its owner approves',
    setup: waitingDevice,
    succeed: [1],
    requests: [
      (server, { device_code }) => poll(server, device_code),
      (server, { shown }) => decideDevice(server, shown, 'approve'),
    ],
    also: decided,
  }),
  scenario({
    name: 'a device is approved and denied',
    setup: waitingDevice,
    succeed: 'each',
    requests: [
      (server, { shown }) => decideDevice(server, shown, 'approve'),
      (server, { shown }) => decideDevice(server, shown, 'deny'),
    ],
    also: async (world, waiting, answers) => {
      const pages = answers.filter(isSuccess).map(({ text }) => /<h1>.*?<\/h1>/.exec(text)?.[0]);
      const isOne = new Set(pages).size <= 1;
      return [...(isOne ? [] : ['P9: a device is decided in two ways']), ...(await decided(world, waiting, answers))];
    },
  }),
  scenario({
    name: 'a device polls in the second in which its code ends',
    setup: async (world) => {
      const device_code = await approvedDevice(world);
      world.now += 600 * SECOND - 1;
      return device_code;
    },
    succeed: 'one',
    requests: [poll, poll],
  }),
];

/** Half of the time that a device code lives has passed, and more. */
const LATER = 450 * SECOND;

const askForCodes = (server: Server): Promise<unknown> =>
  send(server, '/oauth/device', [], { form: { ...secretOf('tv'), scope: 'a' } });

/** A device that got codes may poll with one, and its owner finds the other, as long as they live. */
const known = async (world: World, _: unknown, [answer]: readonly unknown[]): Promise<readonly string[]> => {
  const device_code = textOf(answer, 'device_code');
  if (device_code === undefined) return [];
  world.now += LATER;
  const polled = await poll(world.outside, device_code);
  const { text } = await deviceForm(world, textOf(answer, 'user_code') ?? '');
  return [
    ...(textOf(polled, 'error') === 'authorization_pending' ? [] : ['P9: a device code that was given is not known']),
    ...(isConsent(text) ? [] : ['P9: a user code that was given is not known']),
  ];
};

const isConsent = (page: string): boolean => page.includes('value="approve"');

/** The first user code that is drawn is not free. */
const takenOnce = (store: Full): Full => {
  let isTaken = false;
  return {
    ...store,
    add: async (key, ...rest) => {
      const isFirst = !isTaken && key.includes('user-code:');
      isTaken ||= isFirst;
      return isFirst ? false : store.add(key, ...rest);
    },
  };
};

/** An owner's browser, without a sign-in of its own. */
type Browser = Shown & { readonly headers: { readonly 'x-owner': string } };

const browserOf = async ({ outside }: World, sub: string): Promise<Browser> => {
  const headers = { 'x-owner': sub };
  const page = await send(outside, '/oauth/device', [], { headers });
  return { ...shownIn(page), headers };
};

const enterCode = (server: Server, { fields, ...sent }: Browser, user_code: string): Promise<Answer> =>
  send(server, '/oauth/device/verify', [], { ...sent, form: { ...fields, user_code } });

/** A device belongs to the first owner who enters its code; for others it does not exist. */
const ENTERED = scenario({
  name: 'a user code is entered by two owners',
  options: { ...OPTIONS, owner: ({ headers }) => ({ sub: headers.get('x-owner') ?? 'alice' }) },
  setup: async (world) => {
    const { user_code } = await deviceCodes(world);
    return { user_code, browsers: [await browserOf(world, 'alice'), await browserOf(world, 'bob')] as const };
  },
  succeed: 'one',
  requests: [
    (server, { browsers: [first], user_code }) => enterCode(server, first, user_code),
    (server, { browsers: [, second], user_code }) => enterCode(server, second, user_code),
  ],
  also: async ({ outside }, { browsers, user_code }, answers) => {
    const saw = answers.map((answer) => isAnswer(answer) && isConsent(answer.text));
    const now: boolean[] = [];
    for (const browser of browsers) now.push(isConsent((await enterCode(outside, browser, user_code)).text));
    const all = now.map((sees, at) => sees || saw[at] === true).filter(Boolean);
    return all.length === 1 ? [] : [`P5: a device is shown to ${all.length} owners`];
  },
  except: [
    [['forgets'], /^P5: a device is shown to 2/, 'the failover has forgotten to whom the device belongs'],
    [['an hour', '200 days', 'no rev'], /^P5: a device is shown to 0/, 'the code has expired, or cannot be replaced'],
  ],
});

/** A right code uses no guess up. */
const RIGHT_CODE = scenario({
  name: 'a right user code is entered more often than a wrong one may be',
  setup: async (world) => {
    const { user_code } = await deviceCodes(world);
    return { user_code, browser: await browserOf(world, 'alice') };
  },
  succeed: 'each',
  requests: [(server, { browser, user_code }) => enterCode(server, browser, user_code)],
  also: async ({ store, outside, now }, { browser, user_code }, answers) => {
    if (now >= START + 600 * SECOND || !answers.every((answer) => isAnswer(answer) && isConsent(answer.text)))
      return [];
    const counted = [...store.entries()].filter(([key]) => key.includes('limit:'));
    if (counted.length > 0) return [`P3: ${counted.length} guesses are counted, and none was wrong`];
    for (let count = 0; count < 6; count += 1)
      if (!isConsent((await enterCode(outside, browser, user_code)).text))
        return ['P3: an owner is refused whose codes were right'];
    return [];
  },
  except: [[['twice'], /^P3: 1 guesses are counted/, 'what is repeated late counts until the window ends']],
});

const { owner: _, loginUrl: __, ...WITHOUT_OWNER } = OPTIONS;

/** Who signs out without a decision leaves the device to others. */
const RELEASED = scenario({
  name: 'an owner signs out on the page of a device',
  options: {
    ...WITHOUT_OWNER,
    users: ['alice', 'bob'].map((username) => ({ username, password: 'wonderland' })),
  },
  setup: async (world) => {
    const codes = await deviceCodes(world);
    return { ...codes, shown: await signedInForm(world, 'alice', codes.user_code) };
  },
  succeed: 'each',
  requests: [
    (server, { shown: { fields, cookie } }) =>
      send(server, '/oauth/device/verify', [], { form: { ...fields, decision: 'sign_out' }, cookie }),
  ],
  also: async (world, { user_code, device_code }, [answer]) => {
    if (!isAnswer(answer) || answer.status >= 400) return [];
    world.now += LATER;
    const { text } = await signedInForm(world, 'bob', user_code);
    const polled = await poll(world.outside, device_code);
    return [
      ...(isConsent(text) ? [] : ['P9: a device is not released']),
      ...(textOf(polled, 'error') === 'authorization_pending' ? [] : ['P9: a device code dies before its time']),
    ];
  },
});

const signedInForm = async ({ outside }: World, username: string, user_code: string): Promise<Shown> => {
  const login = await shown(outside, '/oauth/device');
  const form = { ...login.fields, username, password: 'wonderland' };
  const signedIn = await send(outside, '/oauth/device/verify', [], { form, cookie: login.cookie });
  const { fields, cookie } = await shown(outside, '/oauth/device', undefined, cookieOf(signedIn));
  return shown(outside, '/oauth/device/verify', { ...fields, user_code }, cookie);
};

export const CODES: readonly Scenario[] = [
  scenario({
    name: 'a device asks for codes',
    setup: async () => undefined,
    succeed: 'each',
    requests: [askForCodes],
    also: known,
  }),
  scenario({
    name: 'a device asks for codes, and the first user code is that of another device',
    setup: async () => undefined,
    succeed: 'each',
    requests: [askForCodes],
    between: takenOnce,
    also: known,
  }),
  ENTERED,
  RELEASED,
  RIGHT_CODE,
];

export const DEVICE_THREE = scenario({
  name: 'a device polls and polls while its owner approves',
  setup: waitingDevice,
  succeed: [2],
  requests: [
    (server, { device_code }) => poll(server, device_code),
    (server, { device_code }) => poll(server, device_code),
    (server, { shown }) => decideDevice(server, shown, 'approve'),
  ],
});

export const PERSONAL: readonly Scenario[] = [
  scenario({
    name: 'a personal token is created twice with one form',
    // A form is valid as long as the session that it was shown in.
    options: { ...OPTIONS, lifetimes: { session: (30 * DAY) / SECOND } },
    setup: tokenForm,
    succeed: 'one',
    requests: [createToken, createToken],
    also: async (world, form) => {
      world.now += 16 * DAY;
      await createToken(world.outside, form).catch(() => undefined);
      return [];
    },
  }),
  scenario({
    name: 'a personal token is created, and all are ended',
    setup: async (world) => {
      await createToken(world.outside, await tokenForm(world));
      return { making: await tokenForm(world), ending: await tokenForm(world) };
    },
    succeed: 'each',
    requests: [(server, { making }) => createToken(server, making), (server, { ending }) => endTokens(server, ending)],
  }),
  scenario({
    name: 'personal tokens of different lifetimes, and "revoke all"',
    setup: async (world) => {
      await createToken(world.outside, await tokenForm(world));
      world.now += 3 * DAY;
      const made = await createToken(world.outside, await tokenForm(world), '365');
      world.now += 12 * DAY;
      const live = await introspect(world.outside, tokenOnPage(made) ?? '');
      if (live.json['active'] !== true) throw new Error('There is no token of a year.');
      return tokenForm(world);
    },
    succeed: 'each',
    requests: [endTokens],
  }),
];

const CODE_REQUEST = { response_type: 'code', redirect_uri: CALLBACK };

export const PUSHED = scenario({
  name: 'a pushed request is used and used',
  options: { ...OPTIONS, features: [pushedRequests()] },
  setup: async ({ outside }) => {
    const { json } = await send(outside, '/oauth/par', [], { form: { ...secretOf('app'), ...CODE_REQUEST } });
    return String(json['request_uri']);
  },
  succeed: 'one',
  requests: [1, 2].map(() => async (server: Server, request_uri: string) => {
    const query = new URLSearchParams({ client_id: 'app', request_uri });
    const about = (): readonly About[] => [
      { type: 'approve', sub: 'alice', client_id: 'app', scope: 'a' },
      { type: 'use', thing: 'pushed request', text: request_uri, client_id: 'app', again: ask },
    ];
    const ask = (at: Server): Promise<unknown> => send(at, `/oauth/authorize?${query.toString()}`, about());
    return ask(server);
  }),
});

const RESOURCE = 'https://api.example/';

/** What is allowed for one resource is allowed for it alone. */
export const REMEMBERED = scenario({
  name: 'an approval for one resource is remembered, and the client asks again, for it and for the issuer',
  options: { ...REMEMBERING, resources: [RESOURCE] },
  setup: async (world) => {
    await press(world.outside, await consentForm(world, { resource: RESOURCE }), 'approve');
  },
  succeed: 'each',
  requests: [
    (server) => authorize(server, 'shop', { resource: RESOURCE }),
    (server) => send(server, authorizePath('shop'), []),
  ],
  also: async ({ outside }, _, [same, other]) => [
    ...(isAnswer(same) && same.status === 200 ? ['Liveness: an approval that is remembered is asked for'] : []),
    ...(codeIn(other) === undefined ? [] : ['P5: an approval for a resource gives access to the issuer']),
    ...(await endsWith(outside)),
  ],
});

const isAsked = async ({ outside }: World): Promise<boolean> =>
  codeIn(await send(outside, authorizePath('shop'), [])) === undefined;

/** Whose remembered approval was forgotten is asked again, whatever else the client may do. */
export const FORGOTTEN: readonly Scenario[] = [
  {
    name: 'a remembered approval is forgotten',
    ends: () => [],
    forget: ({ grants }: Server) => grants.forgetConsent({ sub: 'alice', client_id: 'shop' }),
  },
  {
    name: 'the grant of a remembered approval is revoked',
    ends: (grant: string): readonly About[] => [{ type: 'end', of: { grant } }],
    forget: ({ grants }: Server, grant: string) => grants.revoke(grant),
  },
].map(({ name, ends, forget }) =>
  scenario({
    name,
    options: REMEMBERING,
    setup: async (world) => {
      const code = codeIn(await press(world.outside, await consentForm(world), 'approve')) ?? '';
      const { refresh_token } = tokensIn(await redeem(world.outside, code, 'shop'));
      if (await isAsked(world)) throw new Error('The approval is not remembered.');
      return parseRefreshToken(refresh_token)?.grant ?? '';
    },
    succeed: 'each',
    requests: [
      (server, grant) =>
        call(server, ends(grant), async (at) => {
          await forget(at, grant);
          return 'done';
        }),
    ],
    also: async (world, _, [answer]) =>
      answer === undefined || answer instanceof Error || (await isAsked(world))
        ? []
        : ['P2: an approval that was forgotten is used'],
  }),
);

/** A remembered approval ends with what was allowed. */
const endsWith = async (outside: Server): Promise<readonly string[]> => {
  await endGrants({ sub: 'alice' })(outside);
  const again = await send(outside, authorizePath('shop', { resource: RESOURCE }), []);
  return codeIn(again) === undefined ? [] : ['P2: a remembered approval has survived grants.revoke'];
};

/** A device that polls at once is told to wait, and one that waits is not. */
export const PACE = scenario({
  name: 'a device polls and polls while nobody decides',
  setup: async (world) => (await deviceCodes(world)).device_code,
  succeed: 'none',
  requests: [poll, poll],
  also: async (world, device_code) => {
    await poll(world.outside, device_code);
    const early = await poll(world.outside, device_code);
    // Of an older version, too: what cannot be replaced is lost.
    if (haveEnded(world) || early.json['error'] === 'invalid_grant') return [];
    world.now += 60 * SECOND;
    const late = await poll(world.outside, device_code);
    return [
      ...(early.json['error'] === 'slow_down' ? [] : ['P11: a device is not told to wait']),
      ...(late.json['error'] === 'authorization_pending' ? [] : ['P3: a device that waits is told to wait longer']),
    ];
  },
});

/** A device that was told to wait longer is not told otherwise later. */
export const PACE_AGAIN = scenario({
  name: 'a device that has polled before polls and polls while nobody decides',
  setup: async (world) => {
    const { device_code } = await deviceCodes(world);
    // Not as a request of the history, because the setup must succeed.
    const body = new URLSearchParams({ ...secretOf('tv'), grant_type: DEVICE_GRANT, device_code });
    await world.outside.handler(new Request(`${ISSUER}/oauth/token`, { method: 'POST', body }));
    world.now += 60 * SECOND;
    return device_code;
  },
  succeed: 'none',
  requests: [poll, poll],
  also: async (world, device_code) => {
    await poll(world.outside, device_code);
    await poll(world.outside, device_code);
    // A record that lived half as long would have been removed, too.
    world.now = Math.max(world.now, START + 520 * SECOND);
    await poll(world.outside, device_code);
    world.now += 6 * SECOND;
    const early = await poll(world.outside, device_code);
    world.now += 60 * SECOND;
    const late = await poll(world.outside, device_code);
    return [
      ...(early.json['error'] === 'authorization_pending' ? ['P11: a device need not wait longer'] : []),
      ...(late.json['error'] === 'slow_down' ? ['P3: a device that waits is told to wait longer'] : []),
    ];
  },
});

/** The list of grants says when a personal token was used last. */
export const USED = scenario({
  name: 'a personal token is used twice within two hours',
  setup: async (world) => {
    const token = tokenOnPage(await createToken(world.outside, await tokenForm(world))) ?? '';
    await introspect(world.outside, token);
    world.now += 2 * HOUR;
    return token;
  },
  succeed: 'each',
  requests: [introspect],
  also: async (world) => {
    const used = world.now / SECOND;
    world.now += 5 * DAY;
    const { grants } = await world.outside.grants.list({ sub: 'alice' });
    // No request waits for it, so a process that ends may lose it.
    const isListed = grants.length > 0 && grants.every(({ last_refreshed }) => (last_refreshed ?? 0) >= used);
    return isListed || world.queue.hasEnded ? [] : ['P7: a use is not listed'];
  },
  except: [
    [['lost', ...PASSING], /^P7: a use is not listed/, 'no request waits for it, so it is not repeated'],
    [['behind'], /^P7: a use is not listed/, 'it is listed with the time of the process'],
  ],
});
