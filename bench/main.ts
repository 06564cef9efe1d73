/** Runs the benchmarks that the arguments name; `npm run bench -- --help` lists them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ArgumentError, HELP, readArguments, type Settings } from './arguments.js';
import { type HttpWork, httpWorks, titles, type Work } from './candidates.js';
import { checkAgainstReference } from './check-run.js';
import { measureHttp } from './http/measure.js';
import { canPin, pinLoad } from './http/measured-server.js';
import { allocations } from './process/allocation.js';
import { importTimes, imported } from './process/import-time.js';
import { installedSizes } from './process/installed-size.js';
import { memoryOfFamilies, memoryPerToken } from './process/memory.js';
import { CONNECTIONS, conditionsNow } from './report/conditions.js';
import type { HttpResult, ParseResult, Results } from './report/results.js';
import { saveResults } from './report/save.js';
import { textOf } from './report/table.js';
import { tablesOf } from './report/tables.js';

const PROFILES = '.data/profiles';
const PARSES_PER_ROUND = 4_000;

const isHttp = (work: Work): work is HttpWork => httpWorks.some((one) => one === work);

async function measureHttpWorks(settings: Settings): Promise<readonly HttpResult[]> {
  const { rounds, requests, warmUp, check, profile, against } = settings;
  if (profile) mkdirSync(PROFILES, { recursive: true });
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : [];
  const results: HttpResult[] = [];
  for (const work of settings.works.filter(isHttp)) {
    for (const framework of settings.frameworks) {
      process.stderr.write(`${titles[work]}, ${framework} …\n`);
      const options = { rounds, requests, warmUp, connections: CONNECTIONS, oursOnly: check, flags, against };
      results.push(...(await measureHttp(work, framework, options)));
    }
  }
  return results;
}

function measureParse(rounds: number): readonly ParseResult[] {
  process.stderr.write(`${titles.parse} …\n`);
  const program = fileURLToPath(new URL('./process/query-parse.js', import.meta.url));
  const output = execFileSync(process.execPath, [program, String(rounds), String(PARSES_PER_ROUND)], {
    encoding: 'utf8',
  });
  // Written by the program in exactly this shape.
  return JSON.parse(output) as readonly ParseResult[];
}

/** Measures everything that the settings name. */
async function measureAll(settings: Settings): Promise<Results> {
  const { works, rounds, requests, tokens, families, check } = settings;
  const wants = (work: Work): boolean => works.includes(work);
  const http = await measureHttpWorks(settings);
  const parse = wants('parse') ? measureParse(rounds) : [];
  if (wants('imports')) process.stderr.write(`${titles.imports} …\n`);
  const wantedImports = check ? imported.filter((name) => name.startsWith('oauth-query/')) : imported;
  const imports = wants('imports') ? importTimes(rounds, wantedImports) : [];
  if (wants('allocation')) process.stderr.write(`${titles.allocation} …\n`);
  if (wants('memory')) process.stderr.write(`${titles.memory} …\n`);
  return {
    ...conditionsNow({ rounds, requests }),
    http,
    parse,
    imports,
    size: wants('size') ? installedSizes() : [],
    memory: wants('memory') ? await memoryPerToken(tokens, check) : [],
    ...(wants('allocation') && { allocation: await allocations(settings.frameworks) }),
    ...(wants('memory') && { families: memoryOfFamilies(families) }),
  };
}

async function run(settings: Settings): Promise<void> {
  pinLoad();
  if (!canPin) console.log('Pinning processes to cores needs taskset and two cores. Without it, expect scatter.');
  if (settings.check) {
    process.exitCode = await checkAgainstReference(settings, measureAll);
    return;
  }
  const results = await measureAll(settings);
  const { rounds, requests, machine } = results;
  console.log(`\n${machine.processor}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}`);
  console.log(`Medians of ${rounds} alternating rounds of ${requests} requests; "middle half" is their spread.`);
  for (const table of tablesOf(results)) console.log(`\n${textOf(table)}`);
  if (settings.save) saveResults(results);
  const out = results.http.filter(({ disqualified }) => disqualified !== undefined);
  if (out.length > 0) console.log(`\n${out.length} measurements are not counted; the tables say why.`);
}

try {
  const settings = readArguments(process.argv.slice(2));
  if (settings === 'help') console.log(HELP);
  else await run(settings);
} catch (error) {
  if (!(error instanceof ArgumentError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
