import { urlProblem } from '../../base/addresses/request-addresses.js';
import { parseUrl } from '../../base/addresses/url.js';
import { condition, listOf, oneOf, type Schema, text, value } from '../../base/schema.js';
import { SIGNING_ALGORITHMS } from '../keys/jwk.js';
import type { OpenIdRegistration } from './client.js';
import { isLoopbackRedirect, redirectUriProblem } from './redirect-uri.js';

export const ADDRESS = value<string>(
  'an https address, or an http one on loopback',
  (given) => urlProblem(given) === undefined,
);

/** The validation of each field. */
export const OPENID_FIELDS = {
  id_token_signed_response_alg: oneOf(...SIGNING_ALGORITHMS),
  default_max_age: value<number>(
    'a whole number of seconds',
    (given) => Number.isSafeInteger(given) && Number(given) >= 0,
  ),
  require_auth_time: condition,
  post_logout_redirect_uris: listOf('an array of strings', text('a string', /^/)),
  backchannel_logout_uri: ADDRESS,
  backchannel_logout_session_required: condition,
  subject_type: value<'public'>("'public'", (given) => given === 'public'),
  initiate_login_uri: ADDRESS,
} satisfies Schema<OpenIdRegistration>;

/**
 * These fields of a registration, and no others.
 *
 * @param report - Called with each problem, as the end of a sentence.
 */
export const openIdOf = (given: OpenIdRegistration, report: (problem: string) => void): OpenIdRegistration => {
  for (const uri of given.post_logout_redirect_uris ?? []) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) report(`the address ${JSON.stringify(uri)} of post_logout_redirect_uris ${problem}`);
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(OPENID_FIELDS, name)));
};

/** What a client may say about itself for OpenID Connect. */
export type OwnOpenId = Pick<
  OpenIdRegistration,
  'id_token_signed_response_alg' | 'default_max_age' | 'require_auth_time' | 'post_logout_redirect_uris'
>;

const MAX_URIS = 20;

/** The program behind an address, as far as the address tells. */
const placeOf = (uri: string): string | undefined => {
  const url = parseUrl(uri);
  return isLoopbackRedirect(uri) ? 'loopback' : /^https?:$/.test(url?.protocol ?? '') ? url?.host : url?.protocol;
};

/**
 * What a client says about itself for OpenID Connect. Its addresses must be where its redirect URIs are, so that its name cannot lead elsewhere. Whatever cannot be
 * used is omitted (RFC 7591 §2).
 */
export const ownOpenId = (given: Readonly<Record<string, unknown>>, redirectUris: readonly string[]): OwnOpenId => {
  const { id_token_signed_response_alg: named, default_max_age: age, post_logout_redirect_uris: uris } = given;
  const algorithm = SIGNING_ALGORITHMS.find((one) => one === named);
  const places = new Set(redirectUris.map(placeOf));
  const usable = (Array.isArray(uris) ? uris.slice(0, MAX_URIS) : []).filter(
    (uri): uri is string =>
      typeof uri === 'string' && redirectUriProblem(uri) === undefined && places.has(placeOf(uri)),
  );
  return {
    ...(algorithm !== undefined && { id_token_signed_response_alg: algorithm }),
    ...(typeof age === 'number' && Number.isSafeInteger(age) && age >= 0 && { default_max_age: age }),
    ...(given['require_auth_time'] === true && { require_auth_time: true }),
    ...(usable.length > 0 && { post_logout_redirect_uris: usable }),
  };
};
