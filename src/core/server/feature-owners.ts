import { BearerError } from '../base/errors.js';
import { type PresentedToken, presentedToken, requiredToken } from '../base/http/bearer.js';
import { errorResponse, json } from '../base/http/responses.js';
import { pageResponse } from '../base/pages/response.js';
import { proofOf } from '../base/possession.js';
import type { FeatureOwners, TokenRoute, Question, TokenOwner, Visit } from '../feature/owners.js';
import type { Answer, Call, FeatureRoute } from '../feature/parts.js';
import { isForm } from '../oauth/facts/parameters.js';
import { admitPresented } from '../oauth/kernel/presented-token.js';
import { isStillAllowed } from '../oauth/kernel/still-allowed.js';
import { connectionsIn } from '../oauth/owners/pages-of.js';
import { CONFIRM_PAGE } from '../oauth/pages/built-in-pages.js';
import { groups } from '../oauth/records/stored-records.js';
import { liveSessions } from '../oauth/sign-in/owner-sessions.js';
import { formExpired } from '../oauth/sign-in/sign-in.js';
import type { Services } from './create-services.js';

const visitOf = async ({ request, emit }: Call, { signIn, pages, basePath }: Services): Promise<Visit> => {
  const { sessions } = signIn;
  const session = sessions.read(request);
  const owner = await signIn.currentOwner(request, session);
  const inLanguage = pages.for(request);
  const ask = async ({ ending, path, hidden, purpose, cancelPath, leadsToClient }: Question) => {
    const shownIn = session ?? sessions.begin();
    const page = await inLanguage.show(CONFIRM_PAGE, {
      action: inLanguage.address(basePath + path),
      hidden: { ...hidden, form_token: sessions.formToken(shownIn, purpose) },
      cancelPath,
      ending,
    });
    return pageResponse(page, { leadsToClient: leadsToClient === true, cookie: sessions.setCookie(shownIn) });
  };
  return {
    owner,
    session: owner && signIn.sessionOf(owner, session),
    ask,
    isFormToken: (token, purpose) => sessions.isFormToken(token, session, purpose),
    formExpired: (path) => formExpired(basePath + path),
    signOut:
      signIn.isBuiltIn && session !== undefined
        ? (returnTo) => signIn.signOut(session, { returnTo, action: '', hidden: {} }, { emit })
        : undefined,
  };
};

/** Who is signed in, and what owners have allowed. */
export const featureOwners = (services: Services): FeatureOwners => {
  const { signIn, users, tokens, hooks, disconnect, records } = services;
  return {
    canSignIn: !signIn.isBuiltIn || users !== undefined,
    hasSessions: signIn.isBuiltIn,
    visit: (call) => visitOf(call, services),
    live: (sessions) => liveSessions(sessions, records),
    endSession: ({ id, sub, exp }, { emit }) => signIn.end({ id, owner: { sub }, expiresAt: exp * 1000 }, emit),
    connection: async (sub, client_id) => {
      const { record } = await tokens.connectionTo(sub, client_id);
      return record === undefined || record.ended === true ? undefined : record;
    },
    connections: async function* (sub) {
      for await (const page of connectionsIn(groups.connectionsOfOwner(sub), services))
        yield page.map(([, connection]) => connection);
    },
    disconnect: async (sub, client_id, { emit }) => {
      const tidy = await disconnect({ sub, client_id }, { reason: 'owner', by: sub }, emit);
      await tidy();
    },
    ends: async (ending, emit) => (await hooks.beforeSignOut?.(ending, emit)) ?? (() => undefined),
  };
};

/** The token of a request: in the header, or in the body of a form. */
const tokenIn = async ({ request }: Call, { takesForm }: TokenRoute, services: Services): Promise<PresentedToken> => {
  const isBound = services.proofs !== undefined;
  if (takesForm !== true || request.method !== 'POST' || !isForm(request.header('content-type')))
    return requiredToken(request, isBound);
  const form = await services.readForm(request, { access_token: 'vschar' });
  if (form.firstProblem !== undefined) throw new BearerError('invalid_request', form.firstProblem);
  const token = form.get('access_token');
  if (token === undefined) return requiredToken(request, isBound);
  if (presentedToken(request, isBound) !== undefined)
    throw new BearerError('invalid_request', 'The token must be sent in one place only.');
  return { token, scheme: 'Bearer' };
};

/**
 * The owner of an access token for this server, as of this moment: the grant is still allowed, and so are its owner and its client.
 *
 * @throws BearerError `invalid_token`, `insufficient_scope`
 */
const ownerOf = async (call: Call, route: TokenRoute, services: Services) => {
  const { request, emit } = call;
  const { scopes } = route;
  const presented = await tokenIn(call, route, services);
  const iss = services.issuer(request);
  const requirement = { scopes, audience: [iss], act: 'refuse' } as const;
  const withProof = proofOf(request, presented, requirement, services.proofs);
  const { authorization, live, headers } = await admitPresented(withProof, requirement, iss, { ...services, emit });
  if (live.grant === null)
    throw new BearerError(
      'insufficient_scope',
      'The access token belongs to a client and not to a user.',
      scopes.join(' '),
    );
  const [grant, client] = await Promise.all([
    services.tokens.findGrant(live.grant),
    services.clients.find(live.client_id),
  ]);
  if (grant === undefined || client === undefined || !(await isStillAllowed(grant, client, services)))
    throw new BearerError('invalid_token', 'The access token is not valid.');
  const owner: TokenOwner = {
    authorization,
    username: grant.username ?? undefined,
    client,
    // Not what the owner allowed another client, from whose token this one is derived.
    claims: grant.client_id === client.client_id ? grant.claims : undefined,
  };
  return { owner, headers };
};

/** A document about the owner of a token. Scripts may read why a request was refused. */
export const tokenRoute = (route: TokenRoute, services: Services): FeatureRoute => {
  const { path, scopes, takesForm, answer: documentOf } = route;
  const answer: Answer = async (call) => {
    try {
      const { owner, headers } = await ownerOf(call, route, services);
      return json(200, await documentOf(owner), headers);
    } catch (error) {
      const response = errorResponse(error, services.onError, { scopes, proofAlgorithms: services.proofs?.algorithms });
      return { ...response, headers: { 'access-control-expose-headers': 'www-authenticate', ...response.headers } };
    }
  };
  return { path, cors: true, GET: answer, ...(takesForm === true && { POST: answer }) };
};
