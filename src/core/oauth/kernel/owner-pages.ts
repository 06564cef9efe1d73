import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import type { PageLink } from '../../base/pages/layout.js';
import { PageError } from '../../base/pages/page-error.js';
import { pageResponse } from '../../base/pages/response.js';
import type { Timer } from '../../base/ports.js';
import { checkStillAwaited } from '../../base/waiting.js';
import type { Emit } from '../events/events.js';
import type { Definitions, Parameters, ReadForm } from '../facts/parameters.js';
import { CONFIRM_PAGE } from '../pages/built-in-pages.js';
import { type Ending, isEnding } from '../pages/endings.js';
import type { Pages } from '../pages/render.js';
import type { Owner } from '../records/owner.js';
import type { Session } from '../sign-in/sessions.js';
import { type Destination, formExpired, type SignIn } from '../sign-in/sign-in.js';
import type { OAuthHooks } from './hooks.js';
import type { PageScope } from './page-scope.js';

/** What pages for owners are made with. */
interface OwnerPageServices {
  readonly signIn: SignIn;
  readonly pages: Pages;
  readonly emit: Emit | undefined;
}

/** A signed-in owner, and the session of their browser. */
export interface Visitor {
  readonly owner: Owner;
  readonly session: Session;
}

/**
 * Who visits a page for owners.
 *
 * @returns The response, if nobody is signed in.
 */
export const visitorOf = async (
  request: HttpRequest,
  destination: Destination,
  { signIn, pages, emit }: OwnerPageServices,
): Promise<Visitor | { readonly response: HttpResponse }> => {
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session);
  if (owner === undefined) return { response: await signIn.ask(session, destination, { pages, emit }) };
  return { owner, session: session ?? signIn.sessions.begin() };
};

/** Links to the pages of an owner's account. @param self - The path of the page that has them. */
export const linksBeside = (
  self: string,
  request: HttpRequest,
  pages: { address(path: string): string },
  { accountPages = [] }: Pick<OAuthHooks, 'accountPages'>,
): readonly PageLink[] =>
  accountPages
    .filter(({ path }) => path !== self)
    .map(({ path, text }) => ({ href: pages.address(path), text: text(request) }));

/** The form of a page for owners. @throws PageError for the first parameter with a problem. */
export const readPageForm = async (
  request: HttpRequest,
  parameters: Definitions,
  { readForm }: { readonly readForm: ReadForm },
): Promise<Parameters> => {
  const form = await readForm(request, parameters);
  if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
  return form;
};

/** Whether this is the form of the built-in sign-in. */
export const isSignIn = (form: Parameters): boolean =>
  form.get('username') !== undefined || form.get('password') !== undefined;

/** A form of a page for owners, sent by the owner whom the page was made for. */
interface OwnerForm extends Visitor {
  readonly form_token: string;
}

/**
 * Who sent the form of a page for owners: whether it is of this server and of this owner, and the buttons that every such page has.
 *
 * @param purposeOf - What the token of the form was made for.
 * @returns The response, if the form only signs in or out.
 */
export const senderOf = async (
  request: HttpRequest,
  form: Parameters,
  destination: Destination,
  purposeOf: (owner: Owner) => readonly string[],
  { signIn, pages, emit }: OwnerPageServices,
): Promise<OwnerForm | { readonly response: HttpResponse }> => {
  const visit = { pages, emit };
  if (isSignIn(form)) return { response: await signIn.submit(request, form, destination, visit) };
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session);
  if (owner === undefined) return { response: redirect(destination.returnTo, 303) };
  const form_token = form.get('form_token') ?? '';
  if (!signIn.sessions.isFormToken(form_token, session, purposeOf(owner))) throw formExpired(destination.returnTo);
  if (form.get('decision') === 'sign_out' && signIn.isBuiltIn)
    return { response: await signIn.signOut(session, destination, visit) };
  return { form_token, owner, session };
};

const endedPurpose = ({ kind, of }: Ending, sub: string): readonly string[] => ['ended', sub, kind, String(of)];

/** Something that an owner can end on a page. */
interface AskedEnding {
  readonly ending: Ending;
  /** The address of the page. */
  readonly address: string;
  /** The fields that lead here again. */
  readonly hidden: HiddenFields;
  /** Ends it. */
  readonly end: () => Promise<void>;
}

/**
 * Asks an owner before something ends. Once it has ended, the page says so; only this session can have the URL of that page, so no link can make it say
 * what did not happen.
 */
export const endAfterQuestion = async (
  form: Parameters,
  { owner: { sub }, session }: Visitor,
  { ending, address, hidden, end }: AskedEnding,
  { request, pages }: PageScope,
  { signIn, timer }: { readonly signIn: SignIn; readonly timer: Timer },
): Promise<HttpResponse> => {
  if (form.get('confirmed') === undefined) {
    const action = pages.address(address);
    const asked = { action, hidden: { ...hidden, confirmed: 'yes' }, cancelPath: action, ending };
    return pageResponse(await pages.show(CONFIRM_PAGE, asked));
  }
  await checkStillAwaited(request, timer); // Read late, it would end what was allowed after it was sent.
  await end();
  const proof = signIn.sessions.formToken(session, endedPurpose(ending, sub));
  const query = new URLSearchParams({ ended: ending.kind, of: String(ending.of), proof });
  return redirect(pages.address(`${address}?${query.toString()}`), 303);
};

/** What the form before this page ended. */
export const readEnded = (
  { query }: HttpRequest,
  { owner: { sub }, session }: Visitor,
  { signIn }: { readonly signIn: SignIn },
): Ending | undefined => {
  if (!query.includes('proof=')) return undefined;
  const parameters = new URLSearchParams(query);
  const [kind, of, proof] = ['ended', 'of', 'proof'].map((name) => parameters.get(name) ?? undefined);
  if (!isEnding(kind) || of === undefined) return undefined;
  const ending: Ending = { kind, of: kind.endsWith('_all') ? Number(of) : of };
  return signIn.sessions.isFormToken(proof, session, endedPurpose(ending, sub)) ? ending : undefined;
};
