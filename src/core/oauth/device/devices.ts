import { UnavailableError } from '../../base/errors.js';
import type { Clock } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import { type RandomSource, sha256 } from '../../base/secrets.js';
import { inHalves } from '../../base/text.js';
import type { ClientFinder } from '../clients/client-finder.js';
import { type Client, isOfGeneration } from '../clients/client.js';
import type { Owner } from '../records/owner.js';
import { secondsOf } from '../records/window.js';
import { DEVICE, type DeviceRecord, keys, USER_CODE } from './device-records.js';
import { normalizeUserCode, USER_CODE_LENGTH, USER_CODE_LETTERS, userCodeDigest } from './user-code.js';

/** Where requests begin to be rejected, as `LIMITS` of all capabilities. */
export const DEVICE_LIMITS = {
  /** Wrong codes per user, session and address in ten minutes. A code has 2^34 values, so five guesses find none (RFC 8628 §5.1). */
  userCodeFailures: 5,
  /** Codes that public clients request per address and minute, in each process: many televisions of one house, few of a flood. */
  deviceRequests: 30,
};

/** Live user codes are a tiny part of all possible ones: a collision is rare, and several in a row mean a broken store. */
const CODE_ATTEMPTS = 5;

/** How often a change of a device's record is tried: only its owner's own requests compete. */
const MAX_ATTEMPTS = 5;

/** A user code that belongs to a device. */
export interface FoundCode {
  readonly code: string;
  /** The hash of the device code. */
  readonly hash: string;
}

/** A device whose code this owner was the first to enter. */
export interface Claimed extends FoundCode {
  readonly device: DeviceRecord;
  readonly client: Client;
}

/** What {@link Devices} depend on. */
export interface DeviceDependencies {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly clients: ClientFinder;
  /**
   * Keep user codes, which are short, from being found by brute force in a stolen store. The first key is used for new
   * codes, all of them for lookups.
   */
  readonly userCodeKeys: readonly [string, ...string[]];
}

/** Devices that wait for their owner. */
export class Devices {
  readonly #given: DeviceDependencies;

  constructor(given: DeviceDependencies) {
    this.#given = given;
  }

  /** Writes the record of a device. @returns its user code, which no other live device has. */
  async create(hash: string, device: Omit<DeviceRecord, 'rev'>): Promise<string> {
    const { records, random } = this.#given;
    const record: DeviceRecord = { rev: random.rev(), ...device };
    const [user_code] = await Promise.all([
      this.#claimUserCode(hash, device.code_exp),
      records.create(keys.device(hash), record),
    ]);
    return user_code;
  }

  async #claimUserCode(device: string, exp: number): Promise<string> {
    const { records, random, userCodeKeys } = this.#given;
    for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt += 1) {
      const code = random.letters(USER_CODE_LENGTH, USER_CODE_LETTERS);
      const added = await records.add(keys.userCode(userCodeDigest(code, userCodeKeys[0])), { device, exp });
      if (added) return inHalves(code);
    }
    throw new Error('No free user code was found: the store rejects all of them.');
  }

  /** Looks up the record of a code under each of the current secrets. */
  async findCode(typed: string): Promise<FoundCode | undefined> {
    const code = normalizeUserCode(typed);
    if (code === undefined) return undefined;
    const { records, userCodeKeys } = this.#given;
    const found = await records.getMany(
      userCodeKeys.map((key) => keys.userCode(userCodeDigest(code, key))),
      USER_CODE,
    );
    const record = found.find((one) => one !== undefined);
    return record === undefined ? undefined : { code, hash: record.device };
  }

  read(hash: string): Promise<DeviceRecord | undefined> {
    return this.#given.records.get(keys.device(hash), DEVICE);
  }

  /**
   * The device of a code. It belongs to the first owner who enters the code; for all others it does not exist.
   *
   * @param known - Its record, if it was just read.
   */
  async claim(found: FoundCode, { sub }: Owner, known?: DeviceRecord): Promise<Claimed | undefined> {
    const { records, clients, random, clock } = this.#given;
    const key = keys.device(found.hash);
    const owner = sha256(sub);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const device = attempt === 0 && known !== undefined ? known : await records.get(key, DEVICE);
      if (device === undefined || secondsOf(clock) >= device.code_exp) return undefined;
      if (device.owner !== null && device.owner !== owner) return undefined;
      const client = await clients.find(device.client_id);
      if (client === undefined || !isOfGeneration(client, device)) return undefined;
      const claimed: DeviceRecord = device.owner === null ? { ...device, owner, rev: random.rev() } : device;
      if (claimed === device || (await records.swap(key, device.rev, claimed)))
        return { ...found, device: claimed, client };
    }
    throw new UnavailableError('The record of a device code changed too often.');
  }

  /** Signing out without a decision releases the device for the next owner who enters the code. */
  async release({ hash }: FoundCode, { sub }: Owner): Promise<void> {
    const { records, random } = this.#given;
    const device = await records.get(keys.device(hash), DEVICE);
    if (device === undefined || device.decision !== null || device.owner !== sha256(sub)) return;
    await records.swap(keys.device(hash), device.rev, { ...device, owner: null, rev: random.rev() });
  }

  /** @returns the earlier decision, or `gone` if the device is no longer this owner's; `undefined` if this one was saved. */
  async decide(
    claimed: Claimed,
    made: Pick<DeviceRecord, 'decision' | 'grant'>,
    owner: Owner,
  ): Promise<'approve' | 'deny' | 'gone' | undefined> {
    const { records, random } = this.#given;
    let { device } = claimed;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { rev } = device;
      if (await records.swap(keys.device(claimed.hash), rev, { ...device, ...made, rev: random.rev() }))
        return undefined;
      const now = await this.claim(claimed, owner);
      if (now === undefined) return 'gone';
      if (now.device.decision !== null) return now.device.decision;
      ({ device } = now);
    }
    return 'gone';
  }
}
