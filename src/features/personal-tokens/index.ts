/**
 * Personal tokens, which users create on a page for scripts and assistants: `oauthQuery({ features: [personalTokens()] })`.
 *
 * @module oauth-query/personal-tokens
 */

import {
  fail,
  feature,
  type FeatureHost,
  option,
  PERSONAL_TOKENS,
  type PlainFeature,
} from '../../core/feature/index.js';
import { fieldsOf, TokensPage } from './page.js';

/** Options of `personalTokens`. */
export interface PersonalTokenOptions {
  /** The scopes that owners may choose from; default: all but `introspect`. */
  readonly scopes?: readonly string[];
  /** The longest lifetime of a token, in days. Default: 365. */
  readonly maxDays?: number | undefined;
  /** The path of the page below the issuer. Default: `/oauth/tokens`. */
  readonly path?: string | readonly string[] | undefined;
}

const OPTIONS = option.object(
  {
    scopes: option.neverUndefined(option.listOf('an array of scopes', option.text('the name of a scope'))),
    maxDays: option.wholeNumber(365, 1, 365, 'days'),
    path: option.path('/oauth/tokens'),
  } satisfies option.Schema<PersonalTokenOptions>,
  { takes: 'an object of options' },
);

const DAY = 86_400;

/** @throws TypeError if this server cannot have such tokens. */
const checkServer = ({ owners, signsTokens, records }: FeatureHost): void => {
  if (!owners.canSignIn)
    fail(
      'personalTokens() needs options.users, or options.owner and options.loginUrl: owners sign in to create tokens.',
    );
  if (signsTokens)
    fail(
      'personalTokens() needs opaque access tokens, because a long-lived JWT stays valid after it is revoked. Omit options.jwt, or personalTokens().',
    );
  if (!records.canList)
    fail('personalTokens() needs a store that can list: docs/stores.md describes the function list.');
};

/**
 * A page on which users create and revoke personal tokens. Each is an opaque access token of the client `personal-tokens`, valid for everything that
 * this server protects, with the scopes and the lifetime that its user chooses.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const personalTokens = (given: PersonalTokenOptions = {}): PlainFeature<'personal-tokens'> => {
  const { scopes, maxDays, path: paths } = OPTIONS.read(given, 'personalTokens: options');
  return feature({
    name: 'personal-tokens',
    // It has no secret and no grant, so it can request nothing.
    client: {
      client_id: PERSONAL_TOKENS,
      client_name: 'Personal tokens',
      grant_types: [],
      access_token_lifetime: maxDays * DAY,
      ...(scopes !== undefined && { scope: scopes.join(' ') }),
    },
    start: (host) => {
      checkServer(host);
      const page = new TokensPage(host, maxDays);
      return {
        routes: [
          host.ownerRoute({
            path: paths,
            // They are among the texts of all pages.
            texts: {},
            link: 'personalTokens',
            fields: fieldsOf([...host.scopes.keys()]),
            GET: (visit) => page.show(visit),
            POST: (visit, form) => page.submit(visit, form),
          }),
        ],
      };
    },
  });
};
