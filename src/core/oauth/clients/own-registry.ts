import type { Bound } from '../../base/deadline.js';
import type { LimitAt } from '../../base/limits/source.js';
import type { Clock, MaybePromise, Store, Timer } from '../../base/ports.js';
import type { ClientLookup } from './client-finder.js';
import type { ClientOrigin, ClientRegistry, ClientRow } from './client.js';

/** A registry of this package, which receives more information about a lookup than one of the application. */
export interface OwnRegistry extends ClientRegistry {
  /** The origin of its clients. */
  readonly origin: ClientOrigin;
  /** @throws UnusableClientError for a caller who should learn why the client cannot be used. */
  find(client_id: string, lookup?: ClientLookup): MaybePromise<ClientRow | undefined | null>;
  /** Called when a client receives a grant, so that every process can find the client while the grant lives. */
  approved?(client_id: string): MaybePromise<void>;
}

/** Settings of the server for a registry of this package. */
export interface RegistryServer {
  readonly issuer: string | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly timer: Timer;
  /** A limit per address, which is higher for addresses that many people share. */
  readonly limitAt: LimitAt;
  /** @throws TypeError unless clients that describe themselves may have these scopes. @param at - The option that names them. */
  readonly checkScopes: (given: { readonly scopes?: readonly string[] }, at: string) => void;
  /** The grants of features that clients may name which describe themselves in a document. */
  readonly documentGrants: readonly string[];
  /** In seconds: the longest possible life of a grant. */
  readonly longestGrant: number;
  /** A function of the application with a deadline. */
  readonly bound: Bound;
  readonly onError: (error: unknown) => void;
}

/** A registry that only works as part of a server. */
export interface AttachableRegistry extends ClientRegistry {
  /** Creates the registry for a server. */
  attach(server: RegistryServer): OwnRegistry;
}

export const isAttachable = (registry: ClientRegistry): registry is AttachableRegistry =>
  'attach' in registry && typeof registry.attach === 'function';

export const isOwnRegistry = (registry: ClientRegistry): registry is OwnRegistry => 'origin' in registry;
