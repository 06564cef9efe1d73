import type { Clock } from '../core/base/ports.js';
import type { ClientCheckOptions } from '../core/oauth/clients/check-client.js';
import type { ClientRegistration, ClientRegistry, ClientRow } from '../core/oauth/clients/client.js';

/** A client as it is stored. */
export interface StoredClient {
  /** The client's identifier. */
  readonly client_id: string;
  /** The registration, with hashes instead of secrets. */
  readonly registration: ClientRegistration;
  /** Incremented by each change. */
  readonly version: number;
  /** The time of the last change, in milliseconds since the epoch. */
  readonly changedAt: number;
}

/** A client with its new secret. */
export interface WithSecret extends StoredClient {
  /** Returned only once; the store keeps its hash. Absent if none was generated. */
  readonly client_secret?: string | undefined;
}

/** A registration whose `client_id` is optional. */
export type NewClientRegistration = Omit<ClientRegistration, 'client_id'> & {
  /** Default: 24 random characters. */
  readonly client_id?: string;
};

/** Fields to change; `null` removes a field. */
export type ClientChanges = Omit<ClientRow, 'client_id'>;

/** Options of `add`. */
export interface AddClientOptions {
  /** Generates a secret of 256 random bits, which makes the client confidential. */
  readonly generateSecret?: boolean | undefined;
}

/** One page of all clients. */
export interface ClientPage {
  /** In an order chosen by the store. */
  readonly clients: readonly StoredClient[];
  /** Where the next page begins; absent on the last page. */
  readonly next?: string;
}

/** Options of `storedClients`. */
export interface StoredClientsOptions {
  /** Separates the clients of several issuers in one store. Without it, the clients belong to no particular issuer. */
  readonly issuer?: string | undefined;
  /** Default 5; 0 to 60. For how many seconds a server may use an outdated version of a client that another process has changed. */
  readonly cacheSeconds?: number | undefined;
  /** Settings of the server, to reject clients that it would reject. You can pass the server's options. */
  readonly server?: ClientCheckOptions | undefined;
  /** Default: `Date.now`; the store needs the same clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Clients in a store, for the option `clients`. Each is one record, which a change replaces. All methods reject with an `UnavailableError` if the store cannot be reached; whether a change was made is then unknown.
 */
export interface StoredClients extends ClientRegistry {
  /** The registration of a client, at most `cacheSeconds` old. */
  find(client_id: string): ReturnType<ClientRegistry['find']>;
  /** The current version of a client. */
  get(client_id: string): Promise<StoredClient | undefined>;
  /**
   * One page of all clients. Needs a store that can list, as all stores in this package can.
   *
   * @param page - `after` is the `next` of the previous page; `limit` defaults to 50, at most 1000.
   */
  list(page?: { readonly after?: string | undefined; readonly limit?: number }): Promise<ClientPage>;
  /**
   * Adds a client. Secrets are stored as hashes: text hashed by `hashSecret`, a generated secret by SHA-256, which is sufficient for 256 random bits.
   * A secret of your own should contain neither `+` nor `%`, which clients must percent-encode for HTTP Basic (RFC 6749 §2.3.1); generated ones do not.
   *
   * The name of a removed client may be used again; tokens of the removed client stay invalid.
   *
   * @throws StoredClientError `exists` or `invalid`.
   */
  add(registration: NewClientRegistration, options?: AddClientOptions): Promise<WithSecret>;
  /**
   * Changes some fields of a client.
   *
   * @param options - With `version`, only if the client still has this version: the one a form has shown, for example.
   * @throws StoredClientError `unknown`, `conflict` or `invalid`.
   */
  change(client_id: string, changes: ClientChanges, options?: { readonly version?: number }): Promise<StoredClient>;
  /**
   * Generates a new secret for a confidential client.
   *
   * @param options - `overlap`: seconds for which existing secrets still work; 0 invalidates them immediately. `version`: that of the client, if it must not
   * have changed since.
   * @throws StoredClientError `unknown`, `conflict` if it was changed at the same moment, or `invalid` for a client without a secret.
   */
  rotateSecret(
    client_id: string,
    options: { readonly overlap: number; readonly version?: number | undefined },
  ): Promise<WithSecret>;
  /** Rejects the client everywhere and makes its tokens inactive, until {@link enable}. Throws `unknown`. */
  disable(client_id: string): Promise<StoredClient>;
  /** Reverts {@link disable}. Throws `unknown`. */
  enable(client_id: string): Promise<StoredClient>;
  /**
   * Invalidates everything issued to the client until now. Throws `unknown`.
   *
   * @param validAfter - Seconds since the epoch; default: the next second. It never decreases.
   */
  endTokens(client_id: string, validAfter?: number): Promise<StoredClient>;
  /** Removes a client. Succeeds if it does not exist. */
  remove(client_id: string): Promise<void>;
}
