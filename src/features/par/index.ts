/**
 * Pushed authorization requests (PAR, RFC 9126): a client hands its authorization request over to the server before it sends a browser with a
 * reference to it, so that nobody can read or change what it asks for: `oauthQuery({ features: [pushedRequests()] })`.
 *
 * @module oauth-query/par
 */

import {
  contradiction,
  fail,
  feature,
  type FeatureHost,
  type Form,
  json,
  OAuthError,
  option,
  type Parts,
  type PlainFeature,
} from '../../core/feature/index.js';

/** RFC 9126 §2.2 */
const PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** In characters: the address with its reference fits into 8 KB, which many proxies allow. */
const MAX_REQUEST = 4096;

/** Options of `pushedRequests`. */
export interface PushedRequestOptions {
  /** Every authorization request must be pushed; default `false`. One client alone: `require_pushed_authorization_requests` in its registration. */
  readonly required?: boolean;
  /** Seconds in which the browser must arrive: default 90, 5 to 600. */
  readonly lifetime?: number | undefined;
  /** The path of the endpoint below the issuer; default `/oauth/par`. */
  readonly path?: string | readonly string[] | undefined;
}

const OPTIONS = option.object(
  {
    required: option.neverUndefined(option.flag(false)),
    lifetime: option.wholeNumber(90, 5, 600, 'seconds'),
    path: option.path('/oauth/par'),
  } satisfies option.Schema<PushedRequestOptions>,
  { takes: 'an object of options' },
);

/**
 * Lets clients push their authorization requests (RFC 9126). Nothing is stored: the reference contains the encrypted request. Clients that
 * push nothing work as before, unless `required` is set.
 *
 * @throws TypeError with a sentence that names the option and the remedy.
 */
export const pushedRequests = (given: PushedRequestOptions = {}): PlainFeature<'par'> => {
  const options = OPTIONS.read(given, 'pushedRequests: options');
  return feature({
    name: 'par',
    start: (host) => {
      checkRules(given, host.rules);
      return partsOf({ ...options, required: options.required || host.rules.pushedRequests !== undefined }, host);
    },
  });
};

/** @throws TypeError for an option that contradicts a rule of another feature. */
const checkRules = (
  { required, lifetime = 0 }: PushedRequestOptions,
  { pushedRequests: pushed, pushedRequestLifetime: longest }: FeatureHost['rules'],
): void => {
  if (pushed !== undefined && required === false)
    fail(
      contradiction(
        'pushedRequests({ required }) is false',
        pushed,
        'that all authorization requests are pushed',
        'Omit it.',
      ),
    );
  if (longest !== undefined && lifetime > longest.value)
    fail(
      contradiction(
        `pushedRequests({ lifetime }) is ${lifetime}`,
        longest,
        `at most ${longest.value} seconds`,
        'Omit it.',
      ),
    );
};

const partsOf = ({ required, lifetime, path: paths }: ReturnType<typeof OPTIONS.read>, host: FeatureHost): Parts => {
  if (!host.grants.has('authorization_code'))
    fail('pushedRequests() needs the grant authorization_code in options.grants: other grants have no such requests.');
  const seal = host.seal('pushed request');
  return {
    routes: [
      host.clientRoute({
        path: paths,
        fields: () => host.handedOver.fields,
        answer: async (call) => {
          if (call.form.get('request_uri') !== undefined)
            throw new OAuthError('invalid_request', 'A pushed request must not contain a request_uri.');
          if (host.rules.pushedRequests !== undefined && call.form.get('redirect_uri') === undefined)
            throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.');
          const until = host.clock() + lifetime * 1000;
          const request = await host.handedOver.read(call, until);
          if (JSON.stringify(request).length > MAX_REQUEST)
            throw new OAuthError('invalid_request', 'The request is too long.', { status: 413 });
          return json(201, { request_uri: PREFIX + seal.seal(request, until), expires_in: lifetime });
        },
      }),
    ],
    authorization: {
      parameters: { request_uri: 'vschar' },
      pushedRequest: (form) => findRequest(form, (sealed) => seal.open(sealed)),
      readRequest: ({ client, isPushed }) => {
        if (isPushed || !(required || client.mustPush)) return {};
        throw new OAuthError('invalid_request', 'The request must be pushed (RFC 9126).');
      },
    },
    clients: {
      ownMetadata: (given) =>
        given['require_pushed_authorization_requests'] === true ? { require_pushed_authorization_requests: true } : {},
    },
    metadata: (issuer) => ({
      pushed_authorization_request_endpoint: issuer + paths[0],
      ...(required && { require_pushed_authorization_requests: true }),
    }),
  };
};

/** The request that a browser comes with. All other parameters are ignored (RFC 9101 §5). */
const findRequest = (form: Form, open: (sealed: string) => unknown): { readonly opened: unknown } | undefined => {
  const request_uri = form.get('request_uri');
  if (request_uri?.startsWith(PREFIX) !== true) return undefined;
  const problem = form.problem('request_uri') ?? form.problem('client_id');
  const opened = open(request_uri.slice(PREFIX.length)) as { readonly client_id: string } | undefined; // Our own key.
  const isOwn = opened === undefined || opened.client_id === form.get('client_id');
  if (problem === undefined && isOwn) return { opened };
  throw new OAuthError('invalid_request', problem ?? 'The request_uri belongs to another client than the client_id.');
};
