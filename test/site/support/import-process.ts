/** Imports the export that each line of its input names, into a database that others read at the same time, and prints a line for each. */
import { createInterface } from 'node:readline';
import { ContentDatabase, importExport } from '../../../examples/site/index.js';

const [, , file = ''] = process.argv;
const database = new ContentDatabase(file);
for await (const source of createInterface(process.stdin)) {
  await importExport(database, source);
  console.log(source);
}
database.close();
