import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import { pageResponse } from '../../base/pages/response.js';
import { checkStillAwaited } from '../../base/waiting.js';
import { type Definitions, type Parameters, readForm } from '../facts/parameters.js';
import { type Ending, isEnding } from '../pages/endings.js';
import { PageError } from '../pages/page-error.js';
import type { Owner } from '../records/owner.js';
import type { Session } from '../sign-in/sessions.js';
import { type Destination, formExpired } from '../sign-in/sign-in.js';
import type { OAuthContext } from './context.js';

/** Where owners manage their personal tokens. */
export const tokensPath = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.tokens[0]);

/** Where owners see their connected applications. */
export const grantsPath = ({ basePath, config, pages }: OAuthContext): string =>
  pages.address(basePath + config.paths.grants[0]);

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
  context: OAuthContext,
): Promise<Visitor | { readonly response: HttpResponse }> => {
  const { signIn } = context;
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session, context);
  if (owner === undefined) return { response: await signIn.ask(session, destination, context) };
  return { owner, session: session ?? signIn.sessions.begin() };
};

/** The form of a page for owners. @throws PageError for the first parameter with a problem. */
export const readPageForm = async (
  request: HttpRequest,
  parameters: Definitions,
  context: OAuthContext,
): Promise<Parameters> => {
  const form = await readForm(request, parameters, context);
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
  context: OAuthContext,
): Promise<OwnerForm | { readonly response: HttpResponse }> => {
  const { signIn } = context;
  if (isSignIn(form)) return { response: await signIn.submit(request, form, destination, context) };
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session, context);
  if (owner === undefined) return { response: redirect(destination.returnTo, 303) };
  const form_token = form.get('form_token') ?? '';
  if (!signIn.sessions.isFormToken(form_token, session, purposeOf(owner))) throw formExpired(destination.returnTo);
  if (form.get('decision') === 'sign_out' && signIn.isBuiltIn)
    return { response: await signIn.signOut(session, destination, context) };
  return { form_token, owner, session };
};

const endedPurpose = ({ kind, of }: Ending, sub: string): readonly string[] => ['ended', sub, kind, String(of)];

/**
 * Asks an owner before something ends. Once it has ended, the page says so; only this session can have the URL of that page, so no link can make it say
 * what did not happen.
 *
 * @param path - Of the page.
 * @param hidden - The fields that lead here again.
 */
export const endAfterQuestion = async (
  request: HttpRequest,
  form: Parameters,
  { owner: { sub }, session }: Visitor,
  ending: Ending,
  { path, hidden }: { readonly path: string; readonly hidden: HiddenFields },
  end: () => Promise<void>,
  { pages, signIn, basePath, timer }: OAuthContext,
): Promise<HttpResponse> => {
  if (form.get('confirmed') === undefined) {
    const action = pages.address(basePath + path);
    const asked = { action, hidden: { ...hidden, confirmed: 'yes' }, cancelPath: action, ending };
    return pageResponse(await pages.show('confirm', asked));
  }
  await checkStillAwaited(request, timer); // Read late, it would end what was allowed after it was sent.
  await end();
  const proof = signIn.sessions.formToken(session, endedPurpose(ending, sub));
  const query = new URLSearchParams({ ended: ending.kind, of: String(ending.of), proof });
  return redirect(pages.address(`${basePath}${path}?${query.toString()}`), 303);
};

/** What the form before this page ended. */
export const readEnded = (
  { query }: HttpRequest,
  { owner: { sub }, session }: Visitor,
  { signIn }: OAuthContext,
): Ending | undefined => {
  if (!query.includes('proof=')) return undefined;
  const parameters = new URLSearchParams(query);
  const [kind, of, proof] = ['ended', 'of', 'proof'].map((name) => parameters.get(name) ?? undefined);
  if (!isEnding(kind) || of === undefined) return undefined;
  const ending: Ending = { kind, of: kind.endsWith('_all') ? Number(of) : of };
  return signIn.sessions.isFormToken(proof, session, endedPurpose(ending, sub)) ? ending : undefined;
};
