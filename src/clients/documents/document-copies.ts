import type { RegistryServer } from '../../core/oauth/clients/own-registry.js';
import { Records } from '../../core/base/records.js';
import { sha256 } from '../../core/base/secrets.js';
import { Versions } from '../versions.js';
import { type ClientDocument, type Jwk, keysThatFit } from './client-document.js';

/** A document as stored after an approval. Times are in milliseconds since the epoch. */
export interface DocumentCopy {
  readonly document: ClientDocument;
  /** The contents of its `jwks_uri`, if that was fetched. */
  readonly keys?: readonly Jwk[];
  /** The time it was fetched. */
  readonly at: number;
  readonly fresh_until: number;
}

/** In seconds. Copies written within one generation expire together, when none of its grants can be live any more. */
const GENERATION = 180 * 86_400;

const contentOf = ({ document, keys = [] }: DocumentCopy): string => JSON.stringify([document, keys]);

/**
 * Copies of the documents of approved clients, in the server's store. When a copy changes, a new version is written before the old one is deleted, as for a
 * client of `storedClients`, but only within its generation, so that all versions expire.
 */
export class DocumentCopies {
  readonly #server: RegistryServer;
  readonly #versions: Versions<DocumentCopy>;
  /** The number of past generations in which a live grant may have started. */
  readonly #back: number;

  constructor(server: RegistryServer) {
    const { issuer, store, clock, onError, longestGrant } = server;
    const records = new Records(store, clock, issuer);
    this.#server = server;
    this.#back = Math.ceil(longestGrant / GENERATION);
    this.#versions = new Versions(records, clock, onError, {
      kind: 'client-document',
      end: () => (this.#generation() + 1) * GENERATION + longestGrant,
    });
  }

  /** The latest copy. */
  async find(client_id: string): Promise<DocumentCopy | undefined> {
    const present = this.#generation();
    for (let generation = present; generation >= present - this.#back; generation -= 1) {
      const version = await this.#versions.newest(idOf(client_id, generation));
      if (version?.registration !== undefined) return version.registration;
    }
    return undefined;
  }

  /** Ensures that there is a copy for as long as a grant made now may live. */
  async write({ keys = [], ...copy }: DocumentCopy): Promise<void> {
    const id = idOf(copy.document.client_id, this.#generation());
    const fitting = { ...copy, keys: keysThatFit(copy.document, keys) };
    const before = await this.#versions.newest(id);
    if (before?.registration !== undefined && contentOf(before.registration) === contentOf(fitting)) return;
    // If another process was faster, it has also written a copy.
    await this.#versions.add(id, before?.number ?? 0, fitting);
  }

  #generation(): number {
    return Math.floor(this.#server.clock() / 1000 / GENERATION);
  }
}

const idOf = (client_id: string, generation: number): string => `${sha256(client_id)}:${generation}`;
