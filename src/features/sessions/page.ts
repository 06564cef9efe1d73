import { type Form, type OwnerVisit, redirect } from '../../core/feature/index.js';
import { confirmContent, hiddenInputs, type Html, html, noticeText, PageError, questionIn } from '../../core/pages.js';
import { browserOf, type NamedBrowser } from './browser.js';
import type { KnownSession, KnownSessions } from './known.js';
import type { SESSION_TEXTS } from './texts.js';

type Visit = OwnerVisit<typeof SESSION_TEXTS>;
type Language = Visit['frame']['language'];
type Answer = ReturnType<Visit['frame']['respond']>;

/** The fields of the forms. */
export const FIELDS = { end: 'vschar', confirmed: 'vschar' } as const;

/** The value of the button for all others. No name is as short. */
const OTHERS = 'others';

const nameOf = ({ browser, system }: NamedBrowser, language: Language): string => {
  if (browser !== undefined && system !== undefined) return language.text('browserOn', { browser, system });
  return browser ?? system ?? language.text('unknownBrowser');
};

/** What this browser is called, and when it signed in; only that, if the session began before it was kept. */
const ownCard = (known: KnownSession | undefined, { request, frame: { language } }: Visit): Html => html`<section>
<h2><bdi>${nameOf(known ?? browserOf(request.header('user-agent')), language)}</bdi></h2>
<p class="soft"><strong>${language.text('thisBrowser')}</strong>${known && html` · ${times(known, language)}`}</p>
</section>
`;

/** A session that is shorter ends on the day on which it began, or on the next. */
const DAY = 86_400;

const times = ({ at, exp }: KnownSession, language: Language): Html =>
  html`${language.html('signedInAt', { date: language.minute(at) })} ${language.html('endsAt', { date: exp - at > DAY ? language.day(exp) : language.minute(exp) })}`;

const card = (session: KnownSession, index: number, language: Language): Html => html`<section>
<h2 id="session-${index}"><bdi>${nameOf(session, language)}</bdi></h2>
<p class="soft">${times(session, language)}</p>
<button name="end" value="${session.name}" class="plain" id="end-${index}" aria-labelledby="end-${index} session-${index}">${language.text('endSession')}</button>
</section>
`;

/** What the last form ended. Only this session can have the address that says so. */
const endedIn = ({ request, isProof }: Visit): string | undefined => {
  const query = new URLSearchParams(request.query);
  const ended = query.get('ended') ?? undefined;
  return ended !== undefined && isProof(query.get('proof') ?? '', [ended]) ? ended : undefined;
};

const noticeOf = (ended: string | undefined, language: Language): Html | undefined => {
  if (ended === undefined) return undefined;
  return ended === OTHERS ? language.html('othersEnded') : language.html('sessionEnded', { browser: ended });
};

/** For sessions from before the feature, which are not listed, too: only the page that says that all have ended omits it. */
const othersButton = (language: Language): Html =>
  html`<p><button name="end" value="${OTHERS}" class="link danger">${language.text('endOthers')}</button></p>`;

/** `GET`: all browsers in which the owner is signed in; the visiting browser comes first. */
export const show = async (visit: Visit, known: KnownSessions): Promise<Answer> => {
  const { owner, frame, path, hidden, cookie, account, links, session: own } = visit;
  const { language } = frame;
  const all = await known.live(owner.sub);
  const others = all.filter(({ id }) => id !== own?.id);
  const ended = endedIn(visit);
  const isLast = ended === OTHERS && others.length === 0;
  const body = html`${noticeText(noticeOf(ended, language))}${account}<p>${language.text('explained')}</p>
<form method="post" action="${path}">
${hiddenInputs(hidden)}<div class="cards">${ownCard(
    all.find(({ id }) => id === own?.id),
    visit,
  )}${others.map((session, index) => card(session, index, language))}</div>${isLast ? undefined : othersButton(language)}
</form>${links}`;
  return frame.respond({ title: language.text('sessions'), isWide: others.length > 0, body }, { cookie });
};

const ask = (end: string, browser: string | undefined, { frame, path, hidden, cookie }: Visit): Answer => {
  const { language } = frame;
  const asked =
    browser === undefined
      ? questionIn(language, { ask: 'askEndOthers', press: 'endOthers', explain: 'ends' }, {})
      : questionIn(language, { ask: 'askEnd', press: 'endSession', explain: 'ends' }, { browser });
  const form = { action: path, hidden: { ...hidden, end, confirmed: 'yes' }, cancelPath: frame.address(path) };
  return frame.respond(confirmContent({ ...asked, ...form }), { cookie });
};

const back = (ended: string, { frame, path, proofOf }: Visit, cookie: string): Answer => {
  const query = new URLSearchParams({ ended, proof: proofOf([ended]) });
  return redirect(frame.address(`${path}?${query.toString()}`), 303, { 'set-cookie': cookie });
};

/** `POST`: ends one session or all others, after a question. */
export const submit = async (visit: Visit, form: Form, known: KnownSessions, end: EndSession): Promise<Answer> => {
  const { owner, frame, path, cookie, endOthers } = visit;
  const chosen = form.get('end');
  const isConfirmed = form.get('confirmed') !== undefined;
  if (chosen === undefined) throw new PageError('nothing_chosen', { back: { href: path } });
  if (chosen === OTHERS) {
    if (!isConfirmed) return ask(OTHERS, undefined, visit);
    const before = (await known.live(owner.sub)).find(({ id }) => id === visit.session?.id);
    const { session, cookie: own } = await endOthers();
    if (before !== undefined && session !== undefined) await known.keep({ ...before, ...session }, visit);
    return back(OTHERS, visit, own);
  }
  const session = (await known.live(owner.sub)).find(({ name }) => name === chosen);
  // Ended meanwhile, or expired.
  if (session === undefined) return redirect(frame.address(path), 303);
  const browser = nameOf(session, frame.language);
  if (!isConfirmed) return ask(chosen, browser, visit);
  await end(session, visit);
  return back(browser, visit, cookie);
};

/** Ends one session. */
type EndSession = (session: KnownSession, visit: Visit) => Promise<void>;
