import { OAuthError } from '../../base/errors.js';
import type { HttpResponse } from '../../base/http/messages.js';
import { asDescription } from '../../base/http/responses.js';
import { PageError } from '../../base/pages/page-error.js';
import type { EnforcedRules } from '../../base/rules.js';
import type { RandomSource } from '../../base/secrets.js';
import type { Client } from '../clients/client.js';
import { type Parameters, parseParameters, type ReadForm } from '../facts/parameters.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import type { PageScope } from '../kernel/page-scope.js';
import { reportedPage } from '../kernel/refusal.js';
import type { Answer } from '../kernel/server-endpoint.js';
import { SIGN_IN_FIELDS } from '../sign-in/sign-in.js';
import {
  AUTHORIZATION_PARAMETERS,
  type AuthorizationRequests,
  authorizationResponse,
  redirected,
  RedirectError,
} from './authorization-request.js';
import { type AuthorizationStepServices, begin, goOn } from './authorization-steps.js';

/** `resume` carries a validated request through sign-in and decision; it is internal and encrypted. */
const AUTHORIZE_PARAMETERS = {
  ...AUTHORIZATION_PARAMETERS,
  ...SIGN_IN_FIELDS,
  resume: 'vschar',
  decision: 'vschar',
} as const;

interface AuthorizeServices {
  readonly readForm: ReadForm;
  readonly requests: AuthorizationRequests;
  readonly hooks: Pick<OAuthHooks, 'parameters' | 'pushedRequest'>;
  readonly random: RandomSource;
  readonly onError: (error: unknown) => void;
  readonly rules: EnforcedRules;
}

/**
 * The authorization endpoint: validates the request, lets the owner sign in and decide, and redirects back.
 *
 * @param steps - What the steps of the owner need.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 | RFC 6749 §4.1}
 */
export const authorize = (services: AuthorizeServices, steps: AuthorizationStepServices): Answer<PageScope> => {
  const { readForm, requests, hooks, random, onError, rules } = services;
  const definitions = { ...hooks.parameters, ...AUTHORIZE_PARAMETERS };

  /** A request that a browser comes with, in its parameters or handed over before. */
  const beginWith = async (form: Parameters, { request, emit, pages }: PageScope): Promise<HttpResponse> => {
    const scope = { request, emit };
    const pushed = hooks.pushedRequest?.(form);
    const read = await (pushed === undefined ? requests.read(form, scope) : requests.resume(pushed.opened, scope));
    const asked = read.request.ui_locales ?? form.get('ui_locales');
    // In a query it has been read before.
    const inLanguage = request.method === 'POST' || pushed !== undefined ? pages.for(request, asked) : pages;
    try {
      return await begin(read, { request, emit, pages: inLanguage, services: steps });
    } catch (error) {
      throw redirected(error, read.request, { emit, onError });
    }
  };

  const answer: Answer<PageScope> = async (scope) => {
    const { request, emit, pages } = scope;
    const isPost = request.method === 'POST';
    let client: Client | undefined;
    try {
      const form = isPost ? await readForm(request, definitions) : parseParameters(request.query, definitions);
      const sealed = form.get('resume');
      if (sealed === undefined) return await beginWith(form, scope);
      if (form.firstProblem !== undefined) throw new PageError('invalid_request', { explanation: form.firstProblem });
      const read = await requests.resume(requests.open(sealed), { request, emit });
      ({ client } = read);
      try {
        const pending = { ...read, sealed: () => sealed };
        return await goOn(form, pending, { request, emit, pages, services: steps });
      } catch (error) {
        throw redirected(error, read.request, { emit, onError });
      }
    } catch (error) {
      if (error instanceof OAuthError || error instanceof PageError)
        throw reportedPage(error, client, { emit, random });
      if (!(error instanceof RedirectError)) throw error;
      const { code, message, target } = error;
      const parameters = { error: code, error_description: asDescription(message) };
      return authorizationResponse(target, parameters, isPost ? 303 : 302, pages);
    }
  };
  const { redirectStatus } = rules;
  if (redirectStatus === undefined) return answer;
  return async (scope) => {
    const response = await answer(scope);
    return response.status === 302 ? { ...response, status: redirectStatus.value } : response;
  };
};
