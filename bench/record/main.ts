/** Measures a record and writes its file; `npm run record -- --help` explains the arguments. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canPin, pinLoad } from '../http/measured-server.js';
import { readRecordArguments } from './arguments.js';
import { measureRecord } from './measure.js';
import { printRecord, saveRecord } from './report.js';

const task = readRecordArguments(process.argv.slice(2));
if (task.kind !== 'measure') throw new Error('bench/run.ts does everything else.');
pinLoad();
if (!canPin) console.log('Pinning processes to cores needs taskset and two cores. Without it, expect scatter.');
const results = await measureRecord(task);
const file = task.out ?? `.data/record/${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`;
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(results)}\n`);
printRecord(results);
console.log(`\nWritten: ${file}`);
if (task.save) saveRecord(results);
