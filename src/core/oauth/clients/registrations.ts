import { UnavailableError } from '../../base/errors.js';
import type { MaybePromise } from '../../base/ports.js';
import { fail, fn, listOf, neverUndefined, orElse, refined, type Schema, text, value } from '../../base/schema.js';
import { INTROSPECT, isScopeToken } from '../../base/scope.js';
import type { Seal } from '../../base/seal.js';
import { checkRegistration, type ServerRules } from './check-registration.js';
import {
  type GivenMetadata,
  type OwnRestrictions,
  readClientMetadata,
  refuse,
  selfDescribed,
  type StatedMetadata,
  textOf,
} from './client-metadata.js';
import type { OwnOpenId } from './client-openid.js';
import type { Client } from './client.js';
import { FORBIDDEN_SCHEMES, redirectHost } from './redirect-uri.js';

/** Options for self-registration of clients (RFC 7591). */
export interface RegistrationOptions {
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
  readonly isDenied?: (registration_id: string) => MaybePromise<boolean>;
}

/** Validation of `options.registration`. */
export const REGISTRATION_OPTIONS = {
  scopes: neverUndefined(
    listOf(
      'an array of scopes',
      value<string>('the name of a scope', (given) => typeof given === 'string' && isScopeToken(given)),
    ),
  ),
  redirectSchemes: orElse(
    listOf(
      'an array of schemes',
      refined(
        text("a scheme such as 'cursor', in lower case and without a colon", /^[a-z][a-z0-9+.-]*$/),
        (scheme, at) =>
          ['http', 'https', ...FORBIDDEN_SCHEMES].includes(scheme)
            ? fail(`${at}: ${scheme} is not a valid app scheme.`)
            : scheme,
      ),
    ),
    [],
    'none',
  ),
  isDenied: neverUndefined(fn<NonNullable<RegistrationOptions['isDenied']>>('a function of the registration_id')),
} satisfies Schema<RegistrationOptions>;

/** The registered part of a client's metadata (RFC 7591 §2). All other members are ignored. */
export interface ClientMetadata extends StatedMetadata, OwnRestrictions, OwnOpenId {
  /** The scope of a request without `scope`. */
  readonly scope?: string;
}

/** The prefix of a `client_id` that is an encrypted registration. */
const PREFIX = 'reg.';

/** The unique beginning of the encrypted text, which identifies a registration. */
const ID_LENGTH = 16;

/** Maximum characters: it appears in URLs twice, once encrypted again, and many proxies limit URLs to 8 KB. */
const MAX_ID_LENGTH = 1500;

/** Bytes of JSON that fit. */
const MAX_METADATA = 1055;

/** Clients a process remembers; the oldest are dropped first and decrypted again. */
const REMEMBERED = 1000;

/** A decrypted registration. */
export interface Registered {
  /** The id by which the application knows it. */
  readonly id: string;
  readonly client: Client;
}

/** Whether a `client_id` looks like that of a self-registered client. */
export const isRegistered = (client_id: string): boolean => client_id.startsWith(PREFIX);

/**
 * Self-registered clients. Nothing is stored: the `client_id` is the registration itself, encrypted with a key only this server has. So
 * unknown callers leave nothing behind, and every process knows every client.
 */
export class Registrations {
  readonly #options: RegistrationOptions;
  readonly #scopes: readonly string[];
  readonly #rules: ServerRules;
  readonly #seal: Seal;
  readonly #opened = new Map<string, Registered>();

  constructor({ rules, seal, ...options }: RegistrationOptions & { readonly rules: ServerRules; readonly seal: Seal }) {
    this.#options = options;
    this.#rules = { ...rules, origin: 'registration' };
    this.#scopes = options.scopes ?? [...rules.scopes].filter((scope) => scope !== INTROSPECT);
    this.#seal = seal;
  }

  /**
   * Reads the metadata that a client registers. Unsupported values are omitted, as RFC 7591 §2 allows; values that the client could not
   * work with, or that owners could not read, are rejected.
   *
   * @throws MetadataProblem
   */
  read(given: GivenMetadata): ClientMetadata {
    const stated = readClientMetadata(given, { schemes: this.#options.redirectSchemes ?? [] });
    const scope = this.#knownScope(textOf(given, 'scope'));
    // It becomes a public client, whatever it requested; but the value must be valid.
    textOf(given, 'token_endpoint_auth_method');
    return {
      ...stated,
      grant_types: this.#rules.refreshTokens ? stated.grant_types : ['authorization_code'],
      ...(scope !== '' && { scope }),
    };
  }

  /** Those of the scopes that clients may have here, once each. */
  #knownScope(scope: string | undefined): string {
    return [...new Set(scope?.split(' '))].filter((name) => this.#scopes.includes(name)).join(' ');
  }

  /** @throws MetadataProblem if the metadata is too long for a `client_id`. */
  register(metadata: ClientMetadata): { readonly client_id: string; readonly id: string } {
    const bytes = Buffer.byteLength(JSON.stringify(metadata));
    if (bytes > MAX_METADATA)
      refuse(`The metadata has ${bytes} bytes as JSON, and ${MAX_METADATA} are allowed: name fewer or shorter URIs.`);
    const sealed = this.#seal.seal(metadata, Number.MAX_SAFE_INTEGER);
    return { client_id: PREFIX + sealed, id: sealed.slice(0, ID_LENGTH) };
  }

  /** Decrypts the client in a `client_id`, unless it was changed or is not ours. */
  open(client_id: string): Registered | undefined {
    if (!isRegistered(client_id) || client_id.length > MAX_ID_LENGTH) return undefined;
    const known = this.#opened.get(client_id);
    if (known !== undefined) return known;
    const sealed = client_id.slice(PREFIX.length);
    const value = this.#seal.open(sealed);
    if (value === undefined) return undefined;
    // Only our own key can encrypt it, and it is the only value encrypted for this purpose.
    const client = this.#clientOf(client_id, value as ClientMetadata);
    if (client === undefined) return undefined;
    const opened = { id: sealed.slice(0, ID_LENGTH), client };
    this.#opened.set(client_id, opened);
    const [oldest = ''] = this.#opened.keys();
    if (this.#opened.size > REMEMBERED) this.#opened.delete(oldest);
    return opened;
  }

  /** @throws UnavailableError if the application's function fails. */
  isDenied(id: string): MaybePromise<boolean> {
    const { isDenied } = this.#options;
    if (isDenied === undefined) return false;
    try {
      const denied: unknown = isDenied(id);
      return denied instanceof Promise ? denied.then(asCondition, failed) : asCondition(denied);
    } catch (error) {
      return failed(error);
    }
  }

  /** The settings may have changed since: removed scopes can no longer be requested, and with a disallowed scheme the client becomes unknown. */
  #clientOf(client_id: string, registration: ClientMetadata): Client | undefined {
    const { redirect_uris, client_name = redirectHost(redirect_uris[0] ?? ''), scope } = registration;
    const described = selfDescribed({ ...registration, client_id, client_name }, this.#scopes);
    const byDefault = this.#knownScope(scope);
    const all = { ...described, ...(byDefault !== '' && { default_scope: byDefault }) };
    return checkRegistration(all, this.#rules).client;
  }
}

const failed = (cause: unknown): never => {
  throw cause instanceof UnavailableError ? cause : new UnavailableError('registration.isDenied failed.', { cause });
};

/** An invalid result must not grant access. */
const asCondition = (answer: unknown): boolean =>
  typeof answer === 'boolean' ? answer : failed(new TypeError('registration.isDenied must return true or false.'));
