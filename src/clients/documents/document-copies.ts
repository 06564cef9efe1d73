import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../../core/base/errors.js';
import type { Revision } from '../../core/base/ports.js';
import { type ExpiringRecord, isNumber, isText, optional, Records, type Shape } from '../../core/base/records.js';
import { RandomSource, sha256 } from '../../core/base/secrets.js';
import type { RegistryServer } from '../../core/oauth/clients/own-registry.js';
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

interface CopyRecord extends ExpiringRecord, Revision, DocumentCopy {}

const COPY: Shape<CopyRecord> = {
  exp: isNumber,
  rev: isText,
  // The server validates each field of the registration, as for every registry.
  document: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  keys: optional(Array.isArray),
  at: isNumber,
  fresh_until: isNumber,
};

/** In seconds: how much longer than a new grant a copy lives, so that it is not written for every grant. */
const SPARE = 180 * 86_400;

const contentOf = ({ document, keys = [] }: DocumentCopy): string => JSON.stringify([document, keys]);

/** Copies of the documents of approved clients, in the server's store: one record each, which a changed document replaces. */
export class DocumentCopies {
  readonly #server: RegistryServer;
  readonly #records: Records;
  readonly #random = new RandomSource(randomBytes);

  constructor(server: RegistryServer) {
    this.#server = server;
    this.#records = new Records(server.store, server.clock, server.issuer);
  }

  /** The latest copy. */
  find(client_id: string): Promise<DocumentCopy | undefined> {
    return this.#records.get(keyOf(client_id), COPY);
  }

  /** Ensures that there is a copy for as long as a grant made now may live. */
  async write({ document, keys = [], at, fresh_until }: DocumentCopy): Promise<void> {
    const key = keyOf(document.client_id);
    const before = await this.#records.get(key, COPY);
    const end = Math.ceil(this.#server.clock() / 1000) + this.#server.longestGrant;
    const copy = { document, keys: keysThatFit(document, keys), at, fresh_until };
    if (before !== undefined && before.exp >= end && contentOf(before) === contentOf(copy)) return;
    const record: CopyRecord = { ...before, ...copy, rev: this.#random.rev(), exp: end + SPARE };
    const isWritten = await (before === undefined
      ? this.#records.add(key, record)
      : this.#records.swap(key, before.rev, record));
    // If another process was faster, it has also written a copy.
    if (!isWritten && (await this.#records.get(key, COPY)) === undefined)
      throw new UnavailableError('The copy of a client document expired while it was replaced.');
  }
}

const keyOf = (client_id: string): string => `client-document:{${sha256(client_id)}}`;
