import { isPath } from '../core/base/addresses/request-addresses.js';
import { OAuthError } from '../core/base/errors.js';
import type { FeatureHost } from '../core/base/feature.js';
import type { HttpRequest, HttpResponse } from '../core/base/http/messages.js';
import { json } from '../core/base/http/responses.js';
import type { ProvenKey } from '../core/base/key-proofs.js';
import { flag, object, orElse, type Schema, value, wholeNumber } from '../core/base/schema.js';
import type { Seal } from '../core/base/seal.js';
import type { Client } from '../core/oauth/clients/client.js';
import {
  AUTHORIZATION_PARAMETERS,
  type AuthorizationRequest,
  readAuthorizationRequest,
  RedirectError,
} from '../core/oauth/code/authorization-request.js';
import { checkedForm, type Parameters, readForm } from '../core/oauth/facts/parameters.js';
import { provenKey, withNonce } from '../core/oauth/kernel/bound-tokens.js';
import { authenticateClient, CLIENT_PARAMETERS } from '../core/oauth/kernel/client-authentication.js';
import type { OAuthContext } from '../core/oauth/kernel/context.js';
import type { Endpoint } from '../core/oauth/kernel/endpoint.js';
import type { OAuthHooks } from '../core/oauth/kernel/hooks.js';
import type { OAuthParts } from '../core/oauth/kernel/oauth-feature.js';
import { RefusedPage, reportSent } from '../core/oauth/kernel/refusal.js';
import { PageError } from '../core/oauth/pages/page-error.js';

/** RFC 9126 §2.2 */
const PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** In characters: the address with its reference fits into 8 KB, which many proxies allow. */
const MAX_REQUEST = 4096;

/** Options of `pushedRequests`. */
export interface PushedRequestOptions {
  /** Every authorization request must be pushed; default `false`. One client alone: `require_pushed_authorization_requests` in its registration. */
  readonly required?: boolean;
  /** Seconds in which the browser must arrive: default 90, 5 to 600. */
  readonly lifetime?: number;
  /** The path of the endpoint below the issuer; default `/oauth/par`. */
  readonly path?: string;
}

export const PUSH_OPTIONS = object(
  {
    required: flag(false),
    lifetime: wholeNumber(90, 5, 600, 'seconds'),
    path: orElse(value<string>('a path that begins with a slash', isPath), '/oauth/par', '`/oauth/par`'),
  } satisfies Schema<PushedRequestOptions>,
  { takes: 'an object of options' },
);

/** An error that a browser would see, for the client itself (RFC 9126 §2.3). */
const sentToClient = (error: unknown, { client_id }: Client, context: OAuthContext): unknown => {
  if (error instanceof RedirectError) return new OAuthError(error.code, error.message);
  if (!(error instanceof PageError)) return error;
  reportSent(error, 'invalid_request', client_id, context);
  return new OAuthError(
    'invalid_request',
    error.code === 'unregistered_redirect_uri'
      ? 'The client has not registered this redirect_uri.'
      : 'The parameter redirect_uri is missing.',
  );
};

/** The code of the request is bound to the key that was proved, as to one that `dpop_jkt` names (RFC 9449 §10.1). */
const boundTo = (request: AuthorizationRequest, proven: ProvenKey | undefined): AuthorizationRequest => {
  if (proven === undefined) return request;
  const named = request.kept?.['dpop_jkt'];
  if (named !== undefined && named !== proven.jkt)
    throw new OAuthError('invalid_dpop_proof', 'The dpop_jkt is not the key of the DPoP proof.');
  return { ...request, kept: { ...request.kept, dpop_jkt: proven.jkt } };
};

/** The endpoint that takes requests over, and what it changes at the authorization endpoint. */
export class PushedRequests implements OAuthParts {
  readonly #options: Required<PushedRequestOptions>;
  readonly #seal: Seal;

  constructor(options: Required<PushedRequestOptions>, host: FeatureHost) {
    this.#options = options;
    this.#seal = host.seal('pushed request');
  }

  get endpoints(): readonly Endpoint[] {
    const push = (request: HttpRequest, context: OAuthContext): Promise<HttpResponse> => this.#push(request, context);
    return [{ paths: [this.#options.path], methods: { POST: push }, pageMethods: [], cors: true }];
  }

  get hooks(): OAuthHooks {
    const { required, path } = this.#options;
    return {
      parameters: { request_uri: 'vschar' },
      pushedRequest: (form) => this.#find(form),
      ownMetadata: (given) =>
        given['require_pushed_authorization_requests'] === true ? { require_pushed_authorization_requests: true } : {},
      readRequest: ({ client, isPushed }) => {
        if (isPushed || !(required || client.mustPush)) return {};
        throw new OAuthError('invalid_request', 'The request must be pushed (RFC 9126).');
      },
      metadata: (issuer) => ({
        pushed_authorization_request_endpoint: issuer + path,
        ...(required && { require_pushed_authorization_requests: true }),
      }),
    };
  }

  /**
   * Validates a request as the authorization endpoint does, and returns a reference to it.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9126#section-2 | RFC 9126 §2}
   */
  async #push(http: HttpRequest, context: OAuthContext): Promise<HttpResponse> {
    const parameters = { ...context.hooks.parameters, ...AUTHORIZATION_PARAMETERS, ...CLIENT_PARAMETERS };
    const form = checkedForm(await readForm(http, parameters, context));
    const proven = await provenKey(http, [this.#options.path], context);
    try {
      const client = await authenticateClient(http, form, context);
      if (form.get('request_uri') !== undefined)
        throw new OAuthError('invalid_request', 'A pushed request must not contain a request_uri.');
      const request = await this.#read(http, form, client, context);
      return this.#handedOver(boundTo(request, proven), form, context, proven);
    } catch (error) {
      throw withNonce(error, proven);
    }
  }

  async #read(
    http: HttpRequest,
    form: Parameters,
    client: Client,
    context: OAuthContext,
  ): Promise<AuthorizationRequest> {
    try {
      return (await readAuthorizationRequest(form, http, context, client)).request;
    } catch (error) {
      throw sentToClient(error, client, context);
    }
  }

  #handedOver(
    request: AuthorizationRequest,
    form: Parameters,
    { clock }: OAuthContext,
    proven: ProvenKey | undefined,
  ): HttpResponse {
    const { lifetime } = this.#options;
    const pushedUntil = clock() + lifetime * 1000;
    const ui_locales = form.get('ui_locales');
    const pushed = { ...request, pushedUntil, ...(ui_locales !== undefined && { ui_locales }) };
    if (JSON.stringify(pushed).length > MAX_REQUEST)
      throw new OAuthError('invalid_request', 'The request is too long.', { status: 413 });
    const request_uri = PREFIX + this.#seal.seal(pushed, pushedUntil);
    return json(201, { request_uri, expires_in: lifetime }, proven?.headers);
  }

  /** The request that a browser comes with. All other parameters are ignored (RFC 9101 §5). */
  #find(form: Parameters): { readonly opened: unknown } | undefined {
    const request_uri = form.get('request_uri');
    if (request_uri?.startsWith(PREFIX) !== true) return undefined;
    const problem = form.problem('request_uri') ?? form.problem('client_id');
    const opened = this.#seal.open(request_uri.slice(PREFIX.length)) as AuthorizationRequest | undefined; // Our own key.
    const isOwn = opened === undefined || opened.client_id === form.get('client_id');
    if (problem === undefined && isOwn) return { opened };
    throw new RefusedPage('invalid_request', {
      explanation: problem ?? 'The request_uri belongs to another client than the client_id.',
    });
  }
}
