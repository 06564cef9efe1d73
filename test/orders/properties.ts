import { grantIdOf, parseRefreshToken } from '../../src/core/oauth/records/token-id.js';
import { type About, type Act, codeIn, type Ended, isAnswer, isDone, isSuccess, textOf, type Use } from './history.js';
import { endGrants, erase, introspect, PERSONAL, redeem, refresh, tokenOnPage } from './requests.js';
import { DAY, SECOND, type World } from './world.js';

/** What one response gave. */
interface Given {
  readonly act: Act;
  readonly grant: string | undefined;
  readonly access: string | undefined;
  readonly refresh: string | undefined;
  readonly code: string | undefined;
  readonly client_id: string;
  readonly sub: string;
  readonly party: string;
}

const usesOf = ({ about }: Act): readonly Use[] => about.filter((one): one is Use => one.type === 'use');

/** The grant that a code or a refresh token belongs to. */
const grantOf = (text: string): string | undefined => parseRefreshToken(text)?.grant ?? grantIdOf(text);

type End = Extract<About, { type: 'end' }>;
const endOf = ({ about }: Act): End | undefined => about.find((one): one is End => one.type === 'end');

const isGood = (answer: unknown): boolean =>
  isAnswer(answer) ? answer.status < 400 : answer !== undefined && !(answer instanceof Error);

/** A success, also a denial that was asked for. */
const hasSucceeded = (answer: unknown): boolean => {
  if (!isGood(answer)) return false;
  const location = isAnswer(answer) ? answer.headers.get('location') : null;
  const error = location !== null && URL.canParse(location) ? new URL(location).searchParams.get('error') : null;
  return error === null || error === 'access_denied';
};

/** What those among these answers say that are no success. */
export const failuresOf = (answers: readonly unknown[]): readonly string[] =>
  answers
    .filter((answer) => !hasSucceeded(answer))
    .map((answer) => (isAnswer(answer) ? `${answer.status} ${textOf(answer, 'error') ?? ''}`.trim() : String(answer)));

/** All that responses gave, in the order in which they came. */
const givenIn = (history: readonly Act[]): readonly Given[] =>
  history
    .filter(({ answer }) => answer !== undefined && !(answer instanceof Error))
    .flatMap((act): Given[] => {
      const { about, answer } = act;
      if (isAnswer(answer) && answer.status >= 400) return [];
      const access = textOf(answer, 'access_token') ?? tokenOnPage(answer);
      const code = codeIn(answer);
      const who = about.find((one) => one.type === 'use' || one.type === 'approve' || one.type === 'own');
      if ((access === undefined && code === undefined) || who === undefined) return [];
      const { client_id = '', party = 'client', sub = 'alice' } = Object(who) as Partial<Use>;
      const grant = grantIdOf(access ?? code ?? '');
      return [{ act, grant, access, refresh: textOf(answer, 'refresh_token'), code, client_id, sub, party }];
    })
    .sort((one, other) => (one.act.ended ?? 0) - (other.act.ended ?? 0));

const isOf = (of: Ended, { grant, client_id, sub, access }: Given): boolean => {
  if (of.token !== undefined) return of.token === access;
  if (of.grant !== undefined) return of.grant === grant;
  if (of.session !== undefined) return false;
  return (of.sub ?? sub) === sub && (of.client_id ?? client_id) === client_id;
};

/** The properties P1, P2, P5, P6, which follow from what was answered. */
const ofHistory = (history: readonly Act[]): readonly string[] => {
  const broken: string[] = [];
  const given = givenIn(history);
  // P1
  const uses = new Map<string, Set<string>>();
  for (const one of given) {
    for (const { thing, text } of usesOf(one.act)) {
      const name = `${thing} ${text}`;
      // One that is not rotated has no successor.
      const got = thing === 'refresh token' ? (one.refresh ?? text) : (one.access ?? one.code ?? '');
      uses.set(name, (uses.get(name) ?? new Set()).add(got));
    }
  }
  for (const act of history)
    for (const { thing, text } of usesOf(act))
      if (thing === 'proof' && isSuccess(act.answer))
        uses.set(`proof ${text}`, (uses.get(`proof ${text}`) ?? new Set()).add(String(act.began)));
  for (const [name, got] of uses)
    if (got.size > 1 && !name.startsWith('refresh token'))
      broken.push(`P1: a ${name.split(' ').slice(0, -1).join(' ') || name} gives two grants`);
    else if (got.size > 1) broken.push('P1: a refresh token gives two successors');
  return [...broken, ...afterEnds(history, given), ...refusedOnce(history), ...unbound(history, given)];
};

const isActive = (answer: unknown): boolean => isSuccess(answer) && answer.json['active'] === true;

/** Whether a request that used this was accepted; `undefined` if it was neither accepted nor refused for good. */
const verdictOf = ({
  about,
  answer,
}: Act): readonly (readonly [name: string, grant: string | undefined, isAccepted: boolean])[] =>
  about.flatMap((one) => {
    if (one.type === 'check' && isSuccess(answer))
      return [[one.token, grantIdOf(one.token), isActive(answer)] as const];
    if (one.type === 'session' && isDone(answer))
      return [[one.session, undefined, answer.status === 200 && !answer.text.includes('type="password"')] as const];
    if (one.type !== 'use' || (one.thing !== 'code' && one.thing !== 'refresh token') || !isDone(answer)) return [];
    const grant = one.thing === 'code' ? grantIdOf(one.text) : parseRefreshToken(one.text)?.grant;
    const isRefused = answer.status === 400 && answer.json['error'] === 'invalid_grant';
    return isSuccess(answer) || isRefused ? [[one.text, grant, isSuccess(answer)] as const] : [];
  });

/** P2 */
const afterEnds = (history: readonly Act[], given: readonly Given[]): readonly string[] =>
  history.flatMap((act) => {
    const end = endOf(act);
    const { ended, answer, began } = act;
    if (end === undefined || ended === undefined || !isGood(answer)) return [];
    const { of } = end;
    const gone = new Set<string | undefined>(
      given.filter((one) => (one.act.ended ?? Infinity) < began && isOf(of, one)).map(({ grant }) => grant),
    );
    if (of.token !== undefined || of.session !== undefined) gone.clear();
    if (of.grant !== undefined) gone.add(of.grant);
    return (
      history
        .filter((later) => later.began > ended)
        // An application is asked where tokens are given, and not with each of their uses.
        .filter(({ about: [one] }) => end.isOfHost !== true || one?.type === 'use')
        .flatMap((later) => verdictOf(later))
        .filter(([name, grant, isAccepted]) => {
          const isGone = name === (of.token ?? of.session) || (grant !== undefined && gone.has(grant));
          return isAccepted && isGone;
        })
        .map(() => `P2: accepted after the response of what ended ${Object.keys(of).join(' and ')}`)
    );
  });

/** P6 */
const refusedOnce = (history: readonly Act[]): readonly string[] => {
  const verdicts = history.flatMap((act) => verdictOf(act).map((verdict) => ({ act, verdict })));
  return verdicts
    .filter(({ verdict: [, , isAccepted] }) => !isAccepted)
    .filter(({ act: { ended = Infinity }, verdict: [name] }) =>
      verdicts.some(({ act, verdict }) => verdict[0] === name && verdict[2] && act.began > ended),
    )
    .map(() => 'P6: refused once, and accepted later');
};

/** P5 */
const unbound = (history: readonly Act[], given: readonly Given[]): readonly string[] => {
  const approvals = history.flatMap(({ about }) => about.filter(({ type }) => type === 'approve' || type === 'own'));
  const isApproved = (sub: unknown, client_id: unknown, scope: unknown): boolean =>
    approvals.some((one) => {
      if (one.type === 'own') return one.client_id === client_id && sub === `client:${String(client_id)}`;
      return one.type === 'approve' && one.sub === sub && one.client_id === client_id && one.scope === scope;
    });
  const checks = history.filter(({ about: [one], answer }) => one?.type === 'check' && isActive(answer));
  return [
    ...checks
      .filter(({ answer }) => !isApproved(textOf(answer, 'sub'), textOf(answer, 'client_id'), textOf(answer, 'scope')))
      .map(() => 'P5: a token that nobody allowed'),
    ...given
      .filter(
        ({ grant, access, sub, client_id }) =>
          access !== undefined && grant !== undefined && !isApproved(sub, client_id, 'a'),
      )
      .map(() => 'P5: a response has a token that nobody allowed'),
  ];
};

/** Whether anything has tried to end this, to use it twice, or to deny it. */
const isTouched = (history: readonly Act[], given: Given): boolean =>
  history.some((act) => {
    const end = endOf(act);
    if (end !== undefined && end.of.token === undefined && isOf(end.of, given)) return true;
    return act.about.some(({ type }) => type === 'deny');
  });

/** Asks and uses what there is at the end, as its holders would, and judges what came of it. */
export class Judge {
  readonly #world: World;
  readonly #began: number;
  readonly #broken: string[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#began = world.history.length;
  }

  #must(isKept: boolean, promise: string): void {
    if (!isKept) this.#broken.push(promise);
  }

  get #given(): readonly Given[] {
    return givenIn(this.#world.history);
  }

  async #live(): Promise<readonly Given[]> {
    const all = this.#given.filter(({ access }) => access !== undefined);
    const unique = [...new Map(all.map((one) => [one.access, one])).values()];
    const answers = await Promise.all(unique.map(({ access = '' }) => introspect(this.#world.outside, access)));
    return unique.filter((_, at) => isActive(answers[at]));
  }

  async promises(): Promise<readonly string[]> {
    const { history } = this.#world;
    const before = this.#given;
    const live = await this.#live();
    this.#givenLives(live);
    await this.#lists(live);
    await this.#unfinished(before);
    await this.#unusedCodes();
    await this.#again(['form', 'pushed request', 'assertion', 'proof', 'device code']);
    await this.#erased();
    await this.#codes('twice');
    await this.#parties();
    await this.#times();
    await this.#again(['form', 'pushed request', 'assertion', 'proof', 'device code']);
    await this.#codes('once');
    await this.#end();
    return [...new Set([...this.#broken, ...ofHistory(history)])].sort();
  }

  /** Whether nobody has tried to end this, and only its client has used it. */
  #isHonest(given: Given): boolean {
    const uses = this.#world.history.flatMap(usesOf).filter(({ text }) => grantOf(text) === given.grant);
    const codes = uses.filter(({ thing }) => thing === 'code');
    const parties = new Set(uses.map(({ party = 'client' }) => party));
    const sources = given.act.about.flatMap((one) => (one.type === 'derive' ? [one.token] : []));
    const isRevoked = this.#world.history.some((act) =>
      [given.access, ...sources].some((token) => token !== undefined && endOf(act)?.of.token === token),
    );
    return codes.length < 2 && parties.size < 2 && !isRevoked && !isTouched(this.#world.history, given);
  }

  /** P9: what a response gave is valid, as long as nobody has ended it. */
  #givenLives(live: readonly Given[]): void {
    for (const one of this.#given) {
      const { access, grant, act } = one;
      if (access === undefined || grant === undefined || !this.#isHonest(one)) continue;
      const seconds = Number(isAnswer(act.answer) ? act.answer.json['expires_in'] : Number.NaN);
      if (this.#world.now > act.at + (seconds - 60 || 0) * SECOND) continue;
      this.#must(
        live.some((other) => other.access === access),
        'P9: a token that was given is not valid',
      );
    }
  }

  /** P9: a code that nobody has used can be redeemed. */
  async #unusedCodes(): Promise<void> {
    const { outside, history } = this.#world;
    for (const one of this.#given) {
      const { code, client_id, act } = one;
      const isUsed = history.some((other) => usesOf(other).some(({ text }) => text === code));
      if (code === undefined || isUsed || act.at !== this.#world.now || !this.#isHonest(one)) continue;
      this.#must(isSuccess(await redeem(outside, code, client_id)), 'P9: a code that was given is not valid');
    }
  }

  /** P7 */
  async #lists(live: readonly Given[]): Promise<void> {
    const { outside, history } = this.#world;
    const clients = [...new Set(this.#given.map(({ client_id }) => client_id))];
    const lists = await Promise.all([
      outside.grants.list({ sub: 'alice' }),
      ...clients.map((client_id) => outside.grants.list({ client_id })),
    ]);
    const names = lists.map(({ grants }) => new Set(grants.map(({ grant_id }) => grant_id)));
    for (const { grant, client_id, sub } of live) {
      if (grant === undefined || sub !== 'alice') continue;
      this.#must(names[0]?.has(grant) === true, 'P7: what lives is not listed for its owner');
      this.#must(
        names[clients.indexOf(client_id) + 1]?.has(grant) === true,
        'P7: what lives is not listed for its client',
      );
    }
    for (const act of history) {
      const end = endOf(act);
      if (end === undefined || end.of.token !== undefined || end.isOfHost === true || !isGood(act.answer)) continue;
      for (const one of this.#given)
        if (isOf(end.of, one) && (one.act.ended ?? Infinity) < act.began)
          this.#must(
            !names.some((all) => all.has(one.grant ?? '')) || live.some(({ grant }) => grant === one.grant),
            'P7: what has ended is listed',
          );
    }
  }

  /** P10, P11: what requests left that were refused or failed. */
  async #unfinished(given: readonly Given[]): Promise<void> {
    const { outside, history, store } = this.#world;
    const { grants } = await outside.grants.list({ sub: 'alice' });
    const known = new Set(given.map(({ grant }) => grant));
    const requests = history.filter(({ about }) => about.some(({ type }) => type === 'approve'));
    const open = requests.filter(
      ({ answer }) => !isDone(answer) && (answer === undefined || answer instanceof Error || isAnswer(answer)),
    );
    const devices = requests.filter(
      ({ about, answer }) => isGood(answer) && about.some((one) => one.type === 'approve' && one.client_id === 'tv'),
    );
    const unknown = grants.filter(({ grant_id }) => !known.has(grant_id));
    this.#must(unknown.length <= open.length + devices.length, 'P10: a refused approval left a grant');
    this.#must(
      store.size <= 24 + 8 * history.slice(0, this.#began).length,
      'P11: more records than requests can cause',
    );
  }

  /** P1, P12: the same request once more. */
  async #again(things: readonly Use['thing'][]): Promise<void> {
    const { outside, history } = this.#world;
    const all = history.flatMap((act) => (isGood(act.answer) ? usesOf(act) : []));
    const unique = new Map(all.filter(({ thing }) => things.includes(thing)).map((use) => [use.thing + use.text, use]));
    for (const { again } of unique.values()) await again(outside).catch(() => undefined);
  }

  /** P8 */
  async #erased(): Promise<void> {
    const { history, store, outside } = this.#world;
    const erased = history.find((act) => endOf(act)?.isErase === true && isGood(act.answer));
    if (erased === undefined) return;
    const isLater = history.some(
      ({ about, ended = Infinity }) => about.some(({ type }) => type === 'approve') && ended > erased.began,
    );
    const isNamed = (): boolean => [...store.entries()].some(([, value]) => JSON.stringify(value).includes('"alice"'));
    this.#must(isLater || !isNamed(), 'P8: a record names an erased owner');
    const access = (await this.#live()).filter(({ sub }) => sub === 'alice');
    this.#must(isLater || access.length === 0, 'P8: what came late gives access');
    const late = [...store.entries()].filter(
      ([key, value]) => key.includes(':grant:') && Reflect.get(value, 'sub') === 'alice',
    );
    const { grants } = await erase(outside);
    this.#must(late.length === 0 || grants > 0, 'P8: the second erasure does not report what came late');
    this.#must(!isNamed(), 'P8: a record names an owner who was erased twice');
    this.#must(
      (await this.#live()).every(({ sub }) => sub !== 'alice'),
      'P8: an erased owner has access',
    );
  }

  /** P4: a code that was redeemed twice ends its grant; and what was redeemed once, if it is redeemed again. */
  async #codes(times: 'once' | 'twice'): Promise<void> {
    const { outside, history } = this.#world;
    const counts = new Map<string, Act[]>();
    for (const act of history)
      for (const { thing, text } of usesOf(act))
        if (thing === 'code' && isDone(act.answer)) counts.set(text, [...(counts.get(text) ?? []), act]);
    for (const [code, acts] of counts) {
      if (!acts.some(({ answer }) => isSuccess(answer)) || acts.length > 1 !== (times === 'twice')) continue;
      const [one] = acts.flatMap(usesOf);
      await redeem(outside, code, one?.client_id);
      const live = (await this.#live()).filter(({ grant }) => grant === grantIdOf(code));
      this.#must(live.length === 0, 'P4: a code that was redeemed twice leaves a token alive');
    }
  }

  /** P3, P4, P12: holders of refresh tokens go on. */
  async #parties(): Promise<void> {
    const { outside, history } = this.#world;
    const grants = new Map<string, readonly Given[]>();
    for (const one of this.#given)
      if (one.grant !== undefined && one.refresh !== undefined)
        grants.set(one.grant, [...(grants.get(one.grant) ?? []), one]);
    for (const [grant, all] of grants) {
      const parties = new Set(
        history
          .flatMap(usesOf)
          .filter(({ thing, text }) => thing === 'refresh token' && parseRefreshToken(text)?.grant === grant)
          .map(({ party = 'client' }) => party),
      );
      const latest = (party: string): Given | undefined => all.findLast((one) => one.party === party) ?? all[0];
      if (parties.size > 1) {
        await this.#thief(grant, [...parties]);
        continue;
      }
      const one = latest([...parties][0] ?? 'client');
      const isReplayed =
        history.filter((act) => usesOf(act).some(({ thing, text }) => thing === 'code' && grantIdOf(text) === grant))
          .length > 1;
      if (one?.refresh === undefined || isReplayed || history.some((act) => isTouched([act], one))) continue;
      if (this.#isOver(one.refresh)) continue;
      // A client that got no response may come back after a minute.
      const last = history.findLast((act) =>
        usesOf(act).some(({ thing, text }) => thing === 'refresh token' && parseRefreshToken(text)?.grant === grant),
      );
      if (last !== undefined && !isSuccess(last.answer) && one.act.began < last.began) this.#world.now += 61 * SECOND;
      const next = await refresh(outside, one.refresh, 'client', one.client_id);
      this.#must(isSuccess(next), 'P3: an honest client has lost its grant');
      const repeated = await refresh(outside, one.refresh, 'client', one.client_id);
      this.#must(
        textOf(next, 'refresh_token') === textOf(repeated, 'refresh_token'),
        'P12: the same request has another effect',
      );
    }
  }

  #isOver(token: string): boolean {
    return this.#world.now / SECOND >= (parseRefreshToken(token)?.exp ?? 0);
  }

  /** Each uses its own, after the grace of the other's use. */
  async #thief(grant: string, parties: readonly string[]): Promise<void> {
    for (const party of [...parties, ...parties]) {
      const mine = this.#given.filter((one) => one.grant === grant && one.refresh !== undefined);
      const token = (mine.findLast((one) => one.party === party) ?? mine[0])?.refresh ?? '';
      if (this.#isOver(token)) return;
      await refresh(this.#world.outside, token, party);
      this.#world.now += 100 * SECOND;
    }
    const live = (await this.#live()).filter((one) => one.grant === grant);
    this.#must(live.length === 0, 'P4: a token that two used leaves its grant alive');
  }

  /** P9: what lives, lives until its time. */
  async #times(): Promise<void> {
    const { outside, history } = this.#world;
    const live = await this.#live();
    const last = new Map(live.map((one) => [one.access, this.#expOf(one.access)]));
    for (const [access = '', exp] of [...last].sort(([, one], [, other]) => one - other)) {
      const one = live.find((token) => token.access === access);
      const promised = Number(isAnswer(one?.act.answer) ? one.act.answer.json['expires_in'] : Number.NaN);
      if (exp * SECOND <= this.#world.now) continue;
      this.#world.now = exp * SECOND - 1;
      this.#must(isActive(await introspect(outside, access)), 'P9: a token dies before its time');
      this.#world.now = exp * SECOND;
      this.#must(!isActive(await introspect(outside, access)), 'P9: a token outlives its time');
      this.#must(!(promised < 60), 'P9: a token is given for less than a minute');
    }
    for (const one of new Map(
      this.#given.filter((all) => all.refresh !== undefined).map((all) => [all.grant, all]),
    ).values()) {
      if (isTouched(history, one) || this.#isOver(one.refresh ?? '') || !live.some(({ grant }) => grant === one.grant))
        continue;
      await this.#lastSeconds(one);
    }
  }

  #expOf(access: string | undefined): number {
    const check = this.#world.history.findLast(
      ({ about: [one], answer }) => one?.type === 'check' && one.token === access && isActive(answer),
    );
    return Number(isAnswer(check?.answer) ? check.answer.json['exp'] : 0);
  }

  /** Refreshes in the last second of each token, until the grant ends. */
  async #lastSeconds({ refresh: first = '', client_id }: Given): Promise<void> {
    const { outside } = this.#world;
    let token = first;
    for (let count = 0; count < 12 && !this.#isOver(token); count += 1) {
      const exp = parseRefreshToken(token)?.exp ?? 0;
      this.#world.now = exp * SECOND - 1;
      const next = await refresh(outside, token, 'client', client_id);
      this.#must(isSuccess(next), 'P9: a refresh token dies before its time');
      this.#world.now = exp * SECOND;
      token = textOf(next, 'refresh_token') ?? '';
    }
  }

  /** P9: nothing stays for ever. P12: what ends what has ended is no error. */
  async #end(): Promise<void> {
    const { outside, store } = this.#world;
    await endGrants({ sub: 'alice', client_id: PERSONAL })(outside).catch(() =>
      this.#must(false, 'P12: what has ended cannot be ended again'),
    );
    this.#world.now += 5 * 365 * DAY;
    // A client in the store stays.
    const left = [...store.entries()].filter(([key]) => !key.includes(':client:'));
    this.#must(left.length === 0, 'P9: a record outlives its time');
  }
}
