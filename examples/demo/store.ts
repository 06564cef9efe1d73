import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type OpenedStore, openStore as openAt } from 'oauth-query/stores/open';
import { Complaint } from './complaint.js';
import { ENVIRONMENT, type Wording } from './wording.js';

export type OpenStore = OpenedStore;

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || String(error) : String(error);
};

/**
 * Opens the store of the STORE setting.
 *
 * @throws Complaint if the store is unknown, its driver is missing, or it does not respond.
 */
export const openStore = async (store: string, wording: Wording = ENVIRONMENT): Promise<OpenStore> => {
  let opened: OpenedStore | undefined;
  try {
    const [, file] = /^sqlite:(.+)$/.exec(store) ?? [];
    if (file !== undefined) mkdirSync(dirname(file), { recursive: true });
    opened = await openAt(store === 'memory' ? 'memory:' : store, {
      onError: (error) => opened && console.error(`Store: ${reasonOf(error)}`),
    });
    await opened.migrate();
    await opened.check();
    return opened;
  } catch (error) {
    await opened?.close();
    throw new Complaint(`${wording.setting('STORE')}: the store cannot be used: ${reasonOf(error)}`);
  }
};
