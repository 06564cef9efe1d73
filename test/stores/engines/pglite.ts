import { PGlite } from '@electric-sql/pglite';

let shared: Promise<PGlite> | undefined;

/** A PGlite without tables. Creating one takes seconds, so all suites of a worker have the same, one after the other. */
export const emptyPGlite = async (): Promise<PGlite> => {
  shared ??= PGlite.create();
  const database = await shared;
  await database.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return database;
};
