/** Opens a store and content on a Node without `node:sqlite`, and prints the errors as JSON. */
import { ContentDatabase } from '../../../src/content/sqlite/database.js';
import { sqliteStore } from '../../../src/stores/sqlite.js';

const { getBuiltinModule } = process;
Object.assign(process, {
  getBuiltinModule: (name: string) => (name === 'node:sqlite' ? undefined : getBuiltinModule(name)),
});

const errorOf = (open: () => unknown): object => {
  try {
    open();
    return {};
  } catch (error) {
    const { message, code, cause } = Object(error);
    return { message, code, cause: cause?.message };
  }
};
process.stdout.write(
  JSON.stringify([errorOf(() => sqliteStore({ file: 'a.db' })), errorOf(() => new ContentDatabase('b.db'))]),
);
process.exit();
