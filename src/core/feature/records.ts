import type { ListPage, ListRequest } from '../base/ports.js';

/** A record of a feature: plain JSON data. */
interface FeatureRecord {
  /** Seconds since the epoch: from then on it does not exist. */
  readonly exp: number;
}

/** A record that can be replaced. */
interface ReplaceableRecord extends FeatureRecord {
  /** Random, and another one in each version of the record: {@link FeatureRecords.rev}. */
  readonly rev: string;
}

/**
 * Records of one feature, in the store that all processes share. Keys and groups have at most 60 characters of printable ASCII; no other feature reads them.
 * What a record has beyond `exp` is for the feature to check, because another version of it may have written it.
 *
 * All methods reject with an error that leads to a 503 if the store fails.
 */
export interface FeatureRecords {
  /**
   * Writes a record if there is none. Of any number of simultaneous calls for one key, exactly one resolves to `true`.
   *
   * @param groups - At most four, in which {@link FeatureRecords.list} finds the key.
   */
  readonly add: (key: string, record: FeatureRecord, groups?: readonly string[]) => Promise<boolean>;
  /** Replaces the record whose `rev` is still `before`, and resolves to whether it did. @param groups - Those of `add`, again. */
  readonly swap: (
    key: string,
    before: string,
    record: ReplaceableRecord,
    groups?: readonly string[],
  ) => Promise<boolean>;
  /** The live records under these keys, in the same order; `undefined` for those that do not exist. */
  readonly get: (
    keys: readonly string[],
  ) => Promise<readonly ((FeatureRecord & Readonly<Record<string, unknown>>) | undefined)[]>;
  /** Deletes a record. Deleting one that does not exist is no error. */
  readonly delete: (key: string) => Promise<void>;
  /** Whether the store can list. */
  readonly canList: boolean;
  /** One page of the keys of a group. Their records may have expired: read them. */
  readonly list: (group: string, page: ListRequest) => Promise<ListPage>;
  /** A new `rev`. */
  readonly rev: () => string;
}
