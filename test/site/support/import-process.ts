/** Imports an export into a database that others read at the same moment: `import-process.ts <database> <export>`. */
import { ContentDatabase, importExport } from '../../../examples/site/index.js';

const [, , file = '', source = ''] = process.argv;
const database = new ContentDatabase(file);
let told = false;
await importExport(database, source, {
  onProgress: ({ pages }) => {
    if (pages > 0 && !told) {
      told = true;
      console.log('importing');
    }
  },
});
database.close();
