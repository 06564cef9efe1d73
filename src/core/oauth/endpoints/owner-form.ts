import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { redirect } from '../../base/http/responses.js';
import type { OAuthContext } from '../context.js';
import { PageError } from '../pages/page-error.js';
import { type Definitions, type Parameters, readForm } from '../parameters.js';
import type { Owner } from '../records/owner.js';
import type { Session } from '../sign-in/sessions.js';
import { type Destination, formExpired } from '../sign-in/sign-in.js';

/** A form of a page for owners, sent by the owner whom the page was made for. */
export interface OwnerForm {
  readonly form: Parameters;
  readonly form_token: string;
  readonly owner: Owner;
  readonly session: Session;
}

/**
 * Reads a form of a page for owners: who is signed in, whether the form is of this server and of this owner, and the buttons that every such
 * page has.
 *
 * @param purposeOf - What the token of the form was made for.
 * @returns The response, if the form only signs in or out.
 */
export const readOwnerForm = async (
  request: HttpRequest,
  parameters: Definitions,
  destination: Destination,
  purposeOf: (owner: Owner, form: Parameters) => readonly string[],
  context: OAuthContext,
): Promise<OwnerForm | { readonly response: HttpResponse }> => {
  const { signIn } = context;
  const form = await readForm(request, parameters, context);
  if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
  if (form.get('username') !== undefined || form.get('password') !== undefined)
    return { response: await signIn.submit(request, form, destination, context) };
  const session = signIn.sessions.read(request);
  const owner = await signIn.currentOwner(request, session, context);
  if (owner === undefined) return { response: redirect(destination.returnTo, 303) };
  const form_token = form.get('form_token') ?? '';
  if (!signIn.sessions.isFormToken(form_token, session, purposeOf(owner, form)))
    throw formExpired(destination.returnTo);
  if (form.get('decision') === 'sign_out' && signIn.isBuiltIn)
    return { response: await signIn.signOut(session, destination, context) };
  return { form, form_token, owner, session };
};
