import { feature } from 'oauth-query/feature';
import { openIdConnect } from 'oauth-query/openid';
import { rsaPair } from '../../rsa.js';
import { scenario, type Scenario } from '../explore.js';
import { codeIn, isAnswer, type Server, textOf } from '../history.js';
import {
  CALLBACK,
  call,
  cookieOf,
  erase,
  OPTIONS,
  press,
  redeem,
  SECRET,
  send,
  shown,
  shownIn,
  type Shown,
} from '../requests.js';
import { DAY, type Options, SECOND, START, World } from '../world.js';

const { privateKey } = rsaPair();
const { owner: _, loginUrl: __, ...WITHOUT_OWNER } = OPTIONS;

/** The longest time that a session may have. */
const LONG = 30 * DAY;

const USERS: Options = {
  ...WITHOUT_OWNER,
  users: [{ username: 'alice', password: 'wonderland' }],
  lifetimes: { session: LONG / SECOND },
};

/** How often each owner has signed out, in one record of the owner. */
const counting = feature({
  name: 'counting',
  start: ({ records, clock }) => {
    const exp = (): number => Math.floor(clock() / SECOND) + (2 * LONG) / SECOND;
    const count = async (sub: string, more: number, tries = 5): Promise<void> => {
      const [found] = await records.get([sub]);
      const record = { sub, count: Number(found?.['count'] ?? 0) + more, exp: exp(), rev: records.rev() };
      const rev = found?.['rev'];
      if (found !== undefined && rev === undefined) throw new Error('A record of an older version.');
      const isWritten = await (typeof rev === 'string'
        ? more === 0 || records.swap(sub, rev, record, [sub])
        : records.add(sub, record, [sub]));
      if (!isWritten && tries === 1) throw new Error('The record was changed too often.');
      if (!isWritten) await count(sub, more, tries - 1);
    };
    return {
      began: ({ sub }) => count(sub, 0),
      ended: {
        beforeSignOut: async ({ sub }) => {
          await count(sub, 1);
          return () => undefined;
        },
      },
      owners: {
        exportOwner: async function* (sub) {
          for (const found of await records.get([sub])) if (found !== undefined) yield { count: found['count'] };
        },
        eraseOwner: async (sub) => {
          const { keys } = await records.list(sub, { limit: 10 });
          for (const key of keys) await records.delete(key);
        },
      },
    };
  },
});

const COUNTED: Options = { ...USERS, features: [counting] };

/** What the feature exports. */
const counts = async (server: Server): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for await (const line of server.owners.export('alice'))
    if (line.type === 'feature') found.push(Reflect.get(line.data, 'count'));
  return found;
};

/** Clients that are told of a sign-out take it. */
const OPENID: Options = {
  ...USERS,
  features: [openIdConnect({ keys: [{ key: privateKey }], sendLogoutToken: async () => undefined })],
  clients: [
    {
      ...{ client_id: 'shop', client_secret: SECRET, redirect_uris: [CALLBACK], scope: 'openid a' },
      backchannel_logout_uri: 'https://shop.example/logout',
    },
    ...OPTIONS.clients.filter(({ client_id }) => client_id === 'api'),
  ],
};

const QUERY = new URLSearchParams({ response_type: 'code', client_id: 'shop', redirect_uri: CALLBACK, scope: 'a' });
const AUTHORIZE = `/oauth/authorize?${QUERY.toString()}`;

/** The page of sign-in, filled in. */
const signInForm = async (server: Server): Promise<Shown> => {
  const page = await shown(server, AUTHORIZE);
  return { ...page, fields: { ...page.fields, username: 'alice', password: 'wonderland' } };
};

const signIn = async (server: Server, { fields, cookie }: Shown): Promise<string> => {
  const answer = await send(server, '/oauth/authorize', [], { form: fields, cookie });
  // A redirect to the client says that it failed.
  if (answer.headers.get('location')?.startsWith('/') !== true) throw new Error('Nobody is signed in.');
  return cookieOf(answer) || cookie;
};

/** The form that asks, for one who is signed in. */
const asked = async ({ outside }: World): Promise<Shown> => {
  const cookie = await signIn(outside, await signInForm(outside));
  return shown(outside, AUTHORIZE, undefined, cookie);
};

const signOut =
  ({ cookie }: Shown) =>
  (server: Server) =>
    call(server, [{ type: 'end', of: { session: cookie } }], ({ owners }) => owners.signOut('alice'));

const visit = (server: Server, { cookie }: Shown): Promise<unknown> =>
  send(server, '/oauth/grants', [{ type: 'session', session: cookie }], { cookie });

/** Now, and shortly before the session would have ended. */
const visitTwice = async (world: World, form: Shown): Promise<readonly string[]> => {
  await visit(world.outside, form);
  world.now += LONG - DAY;
  await visit(world.outside, form);
  return [];
};

const withVisit = (given: Pick<Scenario<Shown>, 'name' | 'requests' | 'succeed' | 'options' | 'also'>): Scenario =>
  scenario<Shown>({
    setup: asked,
    also: async ({ outside }, form) => {
      await visit(outside, form);
      return [];
    },
    ...given,
  });

/** One browser signs out, with the button of its page. */
const signOutHere = async (server: Server, { cookie }: Shown): Promise<unknown> => {
  const page = await send(server, '/oauth/grants', [], { cookie });
  const { fields } = shownIn(page);
  return send(server, '/oauth/grants', [{ type: 'end', of: { session: cookie } }], {
    form: { ...fields, decision: 'sign_out' },
    cookie,
  });
};

export const SESSIONS: readonly Scenario[] = [
  scenario({
    name: 'a browser signs out, and its session is used',
    options: USERS,
    setup: asked,
    succeed: 'each',
    requests: [signOutHere, visit],
    also: visitTwice,
  }),
  scenario({
    name: 'an owner is signed out, and signs in again',
    options: USERS,
    setup: async (world: World) => ({ form: await asked(world), next: await signInForm(world.outside) }),
    succeed: 'each',
    requests: [
      async (server, { form, next }) => {
        await signOut(form)(server);
        World.of(server).world.now += 60_000;
        const cookie = await signIn(server, next);
        return { cookie };
      },
    ],
    also: async ({ outside }, { form }, [answer]) => {
      await visit(outside, form);
      const cookie = textOf(answer, 'cookie');
      if (cookie === undefined) return [];
      const page = await send(outside, '/oauth/grants', [], { cookie });
      return page.status === 200 && !page.text.includes('type="password"')
        ? []
        : ['P9: a session that began is not valid'];
    },
  }),
  scenario({
    name: 'an owner who was signed out before, and signed in again, is signed out again',
    options: USERS,
    setup: async (world: World) => {
      await signOut(await asked(world))(world.outside);
      world.now += 60_000;
      return asked(world);
    },
    succeed: 'each',
    requests: [(server, form) => signOut(form)(server)],
    also: visitTwice,
  }),
  withVisit({
    name: 'a form is approved, and its owner is signed out',
    options: USERS,
    succeed: [1],
    requests: [(server, form) => press(server, form, 'approve'), (server, form) => signOut(form)(server)],
  }),
  withVisit({
    name: 'a session is used, and its owner is signed out',
    options: USERS,
    succeed: 'each',
    requests: [visit, (server, form) => signOut(form)(server)],
    also: visitTwice,
  }),
  withVisit({
    name: 'an owner is signed out twice',
    options: USERS,
    succeed: 'each',
    requests: [(server, form) => signOut(form)(server), (server, form) => signOut(form)(server)],
  }),
  withVisit({
    name: 'a form is approved, and its owner is erased',
    options: USERS,
    succeed: [1],
    requests: [(server, form) => press(server, form, 'approve'), erase],
  }),
  scenario({
    name: 'a code is redeemed, and its owner is signed out',
    options: USERS,
    setup: async (world: World) => {
      const form = await asked(world);
      return { form, code: codeIn(await press(world.outside, form, 'approve')) ?? '' };
    },
    succeed: 'each',
    requests: [(server, { code }) => redeem(server, code, 'shop'), (server, { form }) => signOut(form)(server)],
  }),
  scenario({
    name: 'clients are told of a sign-out, and its owner signs in again',
    options: OPENID,
    setup: async (world: World) => {
      const form = await asked(world);
      await redeem(world.outside, codeIn(await press(world.outside, form, 'approve')) ?? '', 'shop');
      return { form, next: await signInForm(world.outside) };
    },
    succeed: 'each',
    requests: [(server, { form }) => signOut(form)(server), (server, { next }) => signIn(server, next)],
    also: async ({ outside }, { form }) => {
      await visit(outside, form);
      return [];
    },
  }),
  scenario({
    name: 'an owner is signed out when the record of the last sign-out ends',
    options: USERS,
    setup: async (world: World) => {
      const end = world.now + LONG + 900 * SECOND;
      await signOut(await asked(world))(world.outside);
      world.now += 25 * DAY;
      const form = await asked(world);
      world.now = end - 5 * SECOND;
      return form;
    },
    // A process whose clock differs may be refused by the store in these seconds.
    succeed: [],
    requests: [(server, form) => signOut(form)(server)],
    also: async ({ outside }, form) => {
      await visit(outside, form);
      return [];
    },
  }),
  scenario({
    name: 'an owner is signed out, whose last sign-out cannot be read',
    options: USERS,
    setup: async (world: World) => {
      await signOut(await asked(world))(world.outside);
      for (const [key, value] of [...world.store.entries()]) {
        if (!('at_ms' in value)) continue;
        await world.logged.delete(key);
        await world.logged.add(key, { ...value, rev: 5 }, Number(Reflect.get(value, 'exp')) * SECOND);
      }
      world.now += 60_000;
    },
    succeed: 'each',
    requests: [(server) => call(server, [], ({ owners }) => owners.signOut('alice'))],
    also: async (world, _given, [answer]) => {
      if (answer === undefined || answer instanceof Error) return [];
      world.now += 60_000;
      const page = await send(world.outside, '/oauth/grants', [], { cookie: (await asked(world)).cookie });
      return page.status === 200 ? [] : ['P9: an owner who was signed out cannot sign in'];
    },
  }),
  scenario({
    name: 'two browsers of one owner sign out, and a feature counts',
    options: COUNTED,
    setup: async (world: World) => [await asked(world), await asked(world)] as const,
    succeed: 'each',
    requests: [(server, [one]) => signOutHere(server, one), (server, [, other]) => signOutHere(server, other)],
    also: async (world, _given, answers) => {
      world.now += LONG;
      const [count] = await counts(world.outside);
      const done = answers.filter((answer) => isAnswer(answer) && answer.status === 303);
      const isOver = world.now >= START + 2 * LONG;
      return isOver || Number(count ?? 0) >= done.length ? [] : [`P7: ${count} sign-outs were counted`];
    },
  }),
  scenario({
    name: 'an owner is erased, about whom a feature has a record',
    options: COUNTED,
    setup: asked,
    succeed: 'each',
    requests: [erase],
    also: async ({ outside }, _given, [answer]) =>
      answer === undefined || answer instanceof Error || (await counts(outside)).length === 0
        ? []
        : ['P8: a feature exports an erased owner'],
  }),
];
