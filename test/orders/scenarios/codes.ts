import { scenario, type Scenario } from '../explore.js';
import { codeIn, isAnswer, isDone, isSuccess, type Server, textOf } from '../history.js';
import {
  allowed,
  authorizePath,
  CALLBACK,
  codeOf,
  consentForm,
  endGrants,
  erase,
  introspect,
  press,
  redeem,
  revoke,
  secretOf,
  send,
  tokensOf,
} from '../requests.js';
import type { Full } from '../steps.js';

const setup = async ({ outside }: Parameters<Scenario['setup']>[0]) => codeOf(outside);

/** @param between - A store that is not what it should be. */
export const redeemTwice = (between?: (store: Full) => Full): Scenario =>
  scenario({
    name: 'a code is redeemed and redeemed',
    setup,
    succeed: 'one',
    requests: [redeem, redeem],
    ...(between !== undefined && { between }),
  });

export const REDEEM_TWICE = redeemTwice();

export const REDEEM_THRICE = scenario({
  name: 'a code is redeemed by three',
  setup,
  succeed: 'one',
  requests: [redeem, redeem, redeem],
});

/** A code is redeemed, and meanwhile what it belongs to ends. */
export const REDEEM_AND_END: readonly Scenario[] = [
  ...(
    [
      ['grants.revoke of its owner', endGrants({ sub: 'alice' })],
      ['grants.revoke of its client', endGrants({ client_id: 'app' })],
      ['grants.revoke of both', endGrants({ sub: 'alice', client_id: 'app' })],
      ['owners.erase', erase],
    ] as const
  ).map(([name, end]) =>
    scenario({ name: `a code is redeemed, and ${name}`, setup, succeed: [1], requests: [redeem, end] }),
  ),
  scenario({
    name: 'a code is redeemed, and an access token of the same owner is revoked',
    setup: async (world) => ({ code: await codeOf(world.outside), ...(await tokensOf(world)) }),
    succeed: 'each',
    requests: [(server, { code }) => redeem(server, code), (server, { access_token }) => revoke(server, access_token)],
  }),
];

/** To deny one request ends nothing that was allowed in another. */
export const REDEEM_AND_DENY = scenario({
  name: 'a code is redeemed, and its owner denies another request of the client',
  setup: async (world) => {
    const code = codeIn(await press(world.outside, await consentForm(world), 'approve')) ?? '';
    return { code, form: await consentForm(world, { state: 'x' }) };
  },
  succeed: 'each',
  requests: [(server, { code }) => redeem(server, code, 'shop'), (server, { form }) => press(server, form, 'deny')],
  also: async ({ outside }, _, [answer]) => {
    const token = textOf(answer, 'access_token');
    const isLost = token !== undefined && (await introspect(outside, token)).json['active'] !== true;
    return isLost ? ['P9: what was allowed ends with a denial of something else'] : [];
  },
  except: [[['an hour', '200 days'], /^P9: what was allowed/, 'the token has expired']],
});

export const REDEEM_SHORT = scenario({
  name: 'a code of a client without refresh tokens is redeemed and redeemed',
  setup: ({ outside }) => codeOf(outside, 'short'),
  succeed: 'one',
  requests: [(server, code) => redeem(server, code, 'short'), (server, code) => redeem(server, code, 'short')],
});

export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

const verify = (server: Server, code: string, code_verifier: string) =>
  send(server, '/oauth/token', [allowed('app')], {
    form: { ...secretOf('app'), grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier },
  });

const WRONG = 'w'.repeat(43);

/** Three wrong verifiers invalidate a code, two do not. */
export const VERIFIERS: readonly Scenario[] = [1, 0].map((earlier) =>
  scenario({
    name: `a code is presented with two wrong verifiers, after ${earlier === 0 ? 'none' : 'one'}`,
    setup: async ({ outside }) => codeIn(await send(outside, authorizePath('app', CHALLENGE), [])) ?? '',
    succeed: 'none',
    requests: [1, 2].map((nth) => async (server: Server, code: string) => {
      if (nth === 1 && earlier === 1) await verify(server, code, WRONG);
      return verify(server, code, WRONG);
    }),
    also: async (world, code) => {
      const wrong = world.history.filter(({ answer }) => isAnswer(answer) && answer.json['error'] === 'invalid_grant');
      const isRight = isSuccess(await verify(world.outside, code, VERIFIER));
      if (isRight) return wrong.length >= 3 ? ['P6: a code is accepted after three wrong verifiers'] : [];
      return wrong.length >= 3 || world.history.some(({ answer }) => !isDone(answer))
        ? []
        : ['P3: a code is refused after two wrong verifiers'];
    },
    except: [
      [['an hour ahead'], /^P6: a code is accepted/, 'where it was refused, it had expired: no verifier was compared'],
    ],
  }),
);
