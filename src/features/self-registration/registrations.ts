import {
  type ClientMetadata,
  type FeatureHost,
  isRecord,
  OAuthError,
  type PublicClient,
  UnavailableError,
} from '../../core/feature/index.js';

/** What a client registers (RFC 7591 §2). All other members are ignored. */
interface Registration extends ClientMetadata {
  /** The scope of a request without `scope`. */
  readonly scope?: string;
}

/** What a registration depends on. */
interface Settings {
  readonly scopes: readonly string[];
  readonly redirectSchemes: readonly string[];
  readonly isDenied: ((registration_id: string) => unknown) | undefined;
}

/** Clients that register themselves per address and minute, in each process: applications in a data centre share few addresses. */
export const LIMIT = { registrations: 60 };

/** The prefix of a `client_id` that is an encrypted registration. */
export const PREFIX = 'reg.';

/** The unique beginning of the encrypted text, which identifies a registration. */
const ID_LENGTH = 16;

/** Maximum characters: it appears in URLs twice, once encrypted again, and many proxies limit URLs to 8 KB. */
const MAX_ID_LENGTH = 1500;

/** Bytes of JSON that fit. */
const MAX_METADATA = 1055;

/** Clients a process remembers; the oldest are dropped first and decrypted again. */
const REMEMBERED = 1000;

/** A decrypted registration. */
interface Registered {
  /** The id by which the application knows it. */
  readonly id: string;
  readonly client: PublicClient;
}

const invalid = (description: string): OAuthError => new OAuthError('invalid_client_metadata', description);

/** `null` counts as absent. @throws OAuthError */
const textOf = (given: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = Object.hasOwn(given, name) ? (given[name] ?? undefined) : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`${name} must be a string.`);
};

/**
 * Self-registered clients. Nothing is stored: the `client_id` is the registration itself, encrypted with a key only this server has. So
 * unknown callers leave nothing behind, and every process knows every client.
 */
export class Registrations {
  readonly #settings: Settings;
  readonly #host: FeatureHost;
  readonly #seal: ReturnType<FeatureHost['seal']>;
  readonly #opened = new Map<string, Registered>();

  constructor(settings: Settings, host: FeatureHost) {
    this.#settings = settings;
    this.#host = host;
    this.#seal = host.seal('client registration');
  }

  /**
   * Reads the metadata that a client registers. Unsupported values are omitted, as RFC 7591 §2 allows; values that the client could not
   * work with, or that owners could not read, are rejected.
   *
   * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 §3.2.2).
   */
  read(given: unknown): Registration {
    if (!isRecord(given)) throw invalid('The request body must be a JSON object.');
    const { selfDescribed, grants } = this.#host;
    const { client_name, redirect_uris, grant_types, ...own } = selfDescribed.read(
      given,
      this.#settings.redirectSchemes,
    );
    const scope = this.#knownScope(textOf(given, 'scope'));
    // It becomes a public client, whatever it requested; but the value must be valid.
    textOf(given, 'token_endpoint_auth_method');
    return {
      ...(client_name !== undefined && { client_name }),
      redirect_uris,
      grant_types: grants.has('refresh_token') ? grant_types : ['authorization_code'],
      ...(scope !== '' && { scope }),
      ...own,
    };
  }

  /** @throws OAuthError if the metadata is too long for a `client_id`. */
  register(metadata: Registration): { readonly client_id: string; readonly id: string } {
    const bytes = Buffer.byteLength(JSON.stringify(metadata));
    if (bytes > MAX_METADATA)
      throw invalid(
        `The metadata has ${bytes} bytes as JSON, and ${MAX_METADATA} are allowed: name fewer or shorter URIs.`,
      );
    const sealed = this.#seal.seal(metadata, Number.MAX_SAFE_INTEGER);
    return { client_id: PREFIX + sealed, id: sealed.slice(0, ID_LENGTH) };
  }

  /** The client in a `client_id`, unless that was changed or is not ours. @throws UnavailableError if the application's function fails. */
  find(client_id: string): PublicClient | undefined | Promise<PublicClient> {
    const registered = this.#open(client_id);
    if (registered === undefined) return undefined;
    const { id, client } = registered;
    const { isDenied } = this.#settings;
    if (isDenied === undefined) return client;
    const decided = (denied: unknown): PublicClient => {
      // An invalid result must not grant access.
      if (typeof denied !== 'boolean') return failed(new TypeError('isDenied must return true or false.'));
      return denied ? { ...client, disabled: true } : client;
    };
    try {
      const denied = isDenied(id);
      return denied instanceof Promise ? denied.then(decided, failed) : decided(denied);
    } catch (error) {
      return failed(error);
    }
  }

  #open(client_id: string): Registered | undefined {
    if (client_id.length > MAX_ID_LENGTH) return undefined;
    const known = this.#opened.get(client_id);
    if (known !== undefined) return known;
    const sealed = client_id.slice(PREFIX.length);
    const value = this.#seal.open(sealed);
    if (value === undefined) return undefined;
    // Only our own key can encrypt it, and it is the only value encrypted for this purpose.
    const opened = { id: sealed.slice(0, ID_LENGTH), client: this.#clientOf(client_id, value as Registration) };
    this.#opened.set(client_id, opened);
    const [oldest = ''] = this.#opened.keys();
    if (this.#opened.size > REMEMBERED) this.#opened.delete(oldest);
    return opened;
  }

  /** The settings may have changed since: removed scopes can no longer be requested. */
  #clientOf(client_id: string, metadata: Registration): PublicClient {
    const byDefault = this.#knownScope(metadata.scope);
    return {
      ...this.#host.selfDescribed.registration(client_id, metadata, this.#settings.scopes),
      ...(byDefault !== '' && { default_scope: byDefault }),
    };
  }

  /** Those of the scopes that clients may have here, once each. */
  #knownScope(scope: string | undefined): string {
    return [...new Set(scope?.split(' '))].filter((name) => this.#settings.scopes.includes(name)).join(' ');
  }
}

const failed = (cause: unknown): never => {
  throw cause instanceof UnavailableError
    ? cause
    : new UnavailableError('selfRegistration({ isDenied }) failed.', { cause });
};
