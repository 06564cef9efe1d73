import {
  type AskedAuthorization,
  type AskedScope,
  type AskedSignIn,
  type FeatureClient,
  type Form,
  type FormFields,
  OAuthError,
  type ReadAuthorization,
  type SignInWishes,
} from '../../core/feature/index.js';
import { PageError } from '../../core/pages.js';
import { refuseUnsupported, UNSUPPORTED_PARAMETERS } from '../fapi/unsupported.js';
import { classesOf, maxAgeOf, signInFor, STEP_UP_PARAMETERS } from '../step-up/asked.js';
import { type AskedClaims, readClaims } from './asked-claims.js';
import type { ClaimSource } from './claims.js';
import type { IdTokens } from './id-token.js';
import { OFFLINE_ACCESS, OPENID } from './scopes.js';

/** The parameters of an authorization request (OpenID Connect Core 1.0 §3.1.2.1, §6, §7.2.1). */
export const OPENID_PARAMETERS = {
  ...STEP_UP_PARAMETERS,
  nonce: 'vschar',
  prompt: 'vschar',
  display: 'vschar',
  login_hint: 'text',
  id_token_hint: 'vschar',
  claims: 'lines',
  claims_locales: 'vschar',
  ...UNSUPPORTED_PARAMETERS,
} as const satisfies FormFields;

/** The grants with which an owner signs in at this server. */
export const SIGN_IN_GRANTS: ReadonlySet<string> = new Set([
  'authorization_code',
  'urn:ietf:params:oauth:grant-type:device_code',
]);

/** The ways in which a response comes back. */
export const MODES: readonly string[] = ['query', 'fragment', 'form_post'];

const MAX_NONCE = 512;
const MAX_LOGIN_HINT = 512;
const MAX_LOCALES = 256;

const refused = (message: string, value?: string): OAuthError => new OAuthError('invalid_request', message, { value });

interface Dependencies {
  readonly idTokens: IdTokens;
  readonly claims: ClaimSource;
  /** All scopes of the server. */
  readonly known: ReadonlyMap<string, unknown>;
  readonly canRegister: boolean;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** Reads what an authorization request says about the sign-in. */
export class OpenIdRequests {
  readonly #given: Dependencies;
  /** The values of `prompt`. */
  readonly prompts: readonly string[];

  constructor(given: Dependencies) {
    this.#given = given;
    this.prompts = ['none', 'login', 'consent', 'select_account', ...(given.canRegister ? ['create'] : [])];
  }

  /** Scopes that need an owner are refused where there is none; unknown ones are ignored together with `openid`. */
  askedScope({ scopes, client, grant_type }: AskedScope): readonly string[] {
    if (!SIGN_IN_GRANTS.has(grant_type)) {
      const needsOwner = (scope: string): boolean =>
        scope === OPENID || (grant_type === 'client_credentials' && this.#given.claims.scopes.has(scope));
      const taken = scopes.find(needsOwner);
      if (taken === undefined) return scopes;
      throw new OAuthError('invalid_scope', `The scope ${taken} needs a user who signs in with another grant.`);
    }
    if (!scopes.includes(OPENID)) return scopes;
    const { known } = this.#given;
    return scopes.filter((scope) => known.has(scope) && (scope !== OFFLINE_ACCESS || client.scopes.has(scope)));
  }

  isInFragment(form: Form, client: FeatureClient): boolean {
    const scopes = form.get('scope')?.split(' ') ?? client.defaultScope;
    return form.get('response_mode') === 'fragment' && form.get('response_type') === 'code' && scopes.includes(OPENID);
  }

  async read({ form, client, scope, response_type }: AskedAuthorization): Promise<ReadAuthorization> {
    refuseUnsupported(form);
    if (response_type !== 'code') return {};
    if (!scope.includes(OPENID)) return signInFor(form, client, this.#given.now());
    if (form.get('redirect_uri') === undefined)
      throw new PageError('missing_redirect_uri', {
        explanation: 'The parameter redirect_uri is missing; with the scope openid, it is required.',
      });
    const mode = form.get('response_mode');
    if (mode !== undefined && !MODES.includes(mode))
      throw refused(`The response_mode is not supported; use one of ${MODES.join(', ')}.`, mode);
    const nonce = form.get('nonce');
    if (nonce !== undefined && nonce.length > MAX_NONCE)
      throw refused(`The nonce has more than ${MAX_NONCE} characters.`);
    const claims = readClaims(form.get('claims'));
    const hinted = await this.#hintedSub(form.get('id_token_hint'), client);
    const sub = claims?.sub ?? hinted;
    if (hinted !== undefined && sub !== hinted)
      throw new OAuthError('login_required', 'The claims ask for another user than the id_token_hint.');
    const single = claims && this.#singleOf(claims, client, scope);
    return {
      signIn: { ...this.#signInOf(form, client, claims), ...(sub !== undefined && { sub }) },
      ...(nonce !== undefined && { kept: { nonce } }),
      ...(single !== undefined && { claims: single }),
    };
  }

  /** The names that the client may have; the others are ignored. */
  #singleOf(
    { names, inIdToken }: AskedClaims,
    client: FeatureClient,
    scope: readonly string[],
  ): ReadAuthorization['claims'] {
    const { claims } = this.#given;
    const covered = claims.coveredBy(scope);
    const allowed = claims.allowed(names, client);
    return allowed.length === 0
      ? undefined
      : {
          names: allowed.filter((name) => !covered.has(name)),
          id_token: allowed.filter((name) => inIdToken.includes(name)),
        };
  }

  /** The owner of an ID token that the client got before. */
  async #hintedSub(hint: string | undefined, { client_id }: FeatureClient): Promise<string | undefined> {
    if (hint === undefined) return undefined;
    const read = await this.#given.idTokens.read(hint);
    if (read?.client_id !== client_id)
      throw refused('The id_token_hint is not an ID token that this server issued to this client.');
    return read.sub;
  }

  #signInOf(form: Form, client: FeatureClient, claims: AskedClaims | undefined): Omit<AskedSignIn, 'sub'> {
    const prompts = this.#promptsOf(form.get('prompt'));
    const { default_max_age, require_auth_time } = client.openId;
    // An owner whose sign-in has no time cannot be told to such a client, however old the sign-in may be.
    const maxAge =
      maxAgeOf(form.get('max_age')) ??
      default_max_age ??
      (require_auth_time === true || claims?.needsAuthTime === true ? Number.MAX_SAFE_INTEGER : undefined);
    return {
      began: this.#given.now(),
      ...(prompts.has('none') && { silent: true }),
      ...((prompts.has('login') || prompts.has('create')) && { fresh: true }),
      ...(prompts.has('consent') && { consent: true }),
      ...(prompts.has('select_account') && { choose: true }),
      ...(maxAge !== undefined && { maxAge }),
      ...(claims?.isAcrEssential === true && claims.acr.length > 0 && { acr: claims.acr }),
      wishes: wishesOf(form, client, claims?.acr),
    };
  }

  #promptsOf(text: string | undefined): ReadonlySet<string> {
    const values = new Set(text?.split(' ').filter((word) => word !== ''));
    const unknown = [...values].find((word) => !this.prompts.includes(word));
    if (unknown !== undefined) throw refused('The prompt is not supported.', unknown);
    if (values.has('none') && values.size > 1) throw refused('The prompt none excludes all others.', text);
    return values;
  }
}

/** A text that is too long is left out: a hint never makes a request fail. */
const within = (text: string | undefined, max: number): string | undefined =>
  text !== undefined && text.length <= max ? text : undefined;

const wishesOf = (form: Form, { client_id }: FeatureClient, classes: readonly string[] = []): SignInWishes => {
  const wishes = {
    prompt: form.get('prompt'),
    max_age: form.get('max_age'),
    login_hint: within(form.get('login_hint'), MAX_LOGIN_HINT),
    acr_values: classesOf(form.get('acr_values') ?? classes.join(' ')),
    display: within(form.get('display'), MAX_LOCALES),
    ui_locales: within(form.get('ui_locales'), MAX_LOCALES),
  };
  const sent = Object.entries(wishes).filter(([, text]) => text !== undefined);
  return { client_id, ...Object.fromEntries(sent) };
};
