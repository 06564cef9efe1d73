/**
 * Dynamic client registration (RFC 7591): clients register themselves with a request, and nothing is stored:
 * `oauthQuery({ features: [selfRegistration()] })`.
 *
 * @module oauth-query/self-registration
 */

import {
  type Call,
  contradiction,
  fail,
  feature,
  type FeatureHost,
  FORBIDDEN_SCHEMES,
  json,
  option,
  type Parts,
  type PlainFeature,
} from '../../core/feature/index.js';
import { LIMIT, PREFIX, Registrations } from './registrations.js';

/** Options of `selfRegistration`. */
export interface SelfRegistrationOptions {
  /** The scopes such a client may request; default: all but `introspect`. */
  readonly scopes?: readonly string[];
  /**
   * App schemes allowed in redirect URIs in addition to https and http on loopback, such as `cursor`; default: none. Any app on a device
   * can claim such a scheme.
   */
  readonly redirectSchemes?: readonly string[] | undefined;
  /**
   * Called for each use of a registered client, with its `registration_id` of the events. Return `true` to treat the
   * client as unknown, and all of its tokens as invalid.
   */
  readonly isDenied?: (registration_id: string) => boolean | Promise<boolean>;
}

const OPTIONS = option.object(
  {
    scopes: option.neverUndefined(option.listOf('an array of scopes', option.text('the name of a scope'))),
    redirectSchemes: option.orElse(
      option.listOf(
        'an array of schemes',
        option.refined(
          option.text("a scheme such as 'cursor', in lower case and without a colon", /^[a-z][a-z0-9+.-]*$/),
          (scheme, at) =>
            ['http', 'https', ...FORBIDDEN_SCHEMES].includes(scheme)
              ? fail(`${at}: ${scheme} is not a valid app scheme.`)
              : scheme,
        ),
      ),
      [],
      'none',
    ),
    isDenied: option.neverUndefined(
      option.fn<NonNullable<SelfRegistrationOptions['isDenied']>>('a function of the registration_id'),
    ),
  } satisfies option.Schema<SelfRegistrationOptions>,
  { takes: 'an object of options' },
);

const PATH = '/oauth/register';

/** @throws TypeError if this server cannot have such clients. */
const checkServer = (
  scopes: readonly string[] | undefined,
  { hasSecret, grants, rules: { clientAuthentication }, selfDescribed }: FeatureHost,
): void => {
  if (!hasSecret)
    fail(
      'selfRegistration() needs options.secret: registrations are encrypted with it and would be lost when the process ends.',
      'OQ112',
    );
  if (!grants.has('authorization_code'))
    fail(
      'selfRegistration() needs the grant authorization_code in options.grants: self-registered clients can use no other.',
      'OQ112',
    );
  if (clientAuthentication !== undefined && !clientAuthentication.value.includes('none')) {
    const limit = `clients that authenticate with ${clientAuthentication.value.join(' or ')}`;
    fail(
      contradiction(
        'selfRegistration() makes clients public',
        clientAuthentication,
        limit,
        'Omit it, and register clients yourself.',
      ),
    );
  }
  selfDescribed.checkScopes(scopes ?? [], 'selfRegistration: options');
};

const partsOf = ({ scopes, redirectSchemes, isDenied }: ReturnType<typeof OPTIONS.read>, host: FeatureHost): Parts => {
  const registrations = new Registrations(
    {
      scopes: scopes ?? [...host.scopes.keys()].filter((scope) => scope !== 'introspect'),
      redirectSchemes,
      isDenied: isDenied && host.bound('selfRegistration({ isDenied })', isDenied),
    },
    host,
  );
  const checkLimit = host.limitByAddress({
    name: 'registration',
    max: LIMIT.registrations,
    message: 'Too many clients were registered from this address.',
  });
  // RFC 7591 §3. Registering is cheap and leaves nothing behind, but legitimate callers rarely need it.
  const register = async (call: Call) => {
    checkLimit(call);
    const metadata = registrations.read(await host.readJson(call, 'invalid_client_metadata'));
    const { client_id, id: registration_id } = registrations.register(metadata);
    const { client_name, redirect_uris } = metadata;
    call.emit?.({
      type: 'client.registered',
      client_id,
      registration_id,
      ...(client_name !== undefined && { client_name }),
      redirect_uris,
    });
    return json(201, {
      client_id,
      client_id_issued_at: Math.floor(host.clock() / 1000),
      ...metadata,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  };
  return {
    routes: [{ path: PATH, POST: register, cors: true }],
    clients: { find: (client_id) => registrations.find(client_id) },
    metadata: (issuer) => ({ registration_endpoint: issuer + PATH }),
  };
};

/**
 * Lets clients register themselves at `/oauth/register` (RFC 7591), as public clients with PKCE. The `client_id` contains the encrypted
 * registration; nothing is stored, so the server needs a `secret`.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const selfRegistration = (given: SelfRegistrationOptions = {}): PlainFeature<'self-registration'> => {
  const options = OPTIONS.read(given, 'selfRegistration: options');
  return feature({
    name: 'self-registration',
    clientPrefix: PREFIX,
    start: (host) => {
      checkServer(options.scopes, host);
      return partsOf(options, host);
    },
  });
};
