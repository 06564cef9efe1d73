import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { candidates, type Framework, isOurs, OURS } from '../candidates.js';
import { exchangeFor } from '../http/exchanges.js';
import { problemsInWords, sendLoad } from '../http/load.js';
import { MeasuredServer } from '../http/measured-server.js';
import type { FamilyMemory, MemoryResult } from '../report/results.js';

const CONNECTIONS = 16;
/** Tokens before the first measurement of the heap, so that code is compiled and pools are filled. */
const WARM_UP = 2_000;

/** Compares the heap of a server, after a garbage collection, before and after it issues this many tokens. */
async function measure(candidate: string, framework: Framework, tokens: number): Promise<MemoryResult> {
  const server = await MeasuredServer.start({ framework, candidate, flags: ['--expose-gc'] });
  try {
    const { prepare, next, problem, confirm } = exchangeFor('token', { port: server.port, candidate });
    const load = { port: server.port, connections: CONNECTIONS, next, problem };
    await sendLoad({ ...load, requests: WARM_UP });
    const before = await server.heap();
    await prepare?.(tokens, CONNECTIONS);
    const { problems } = await sendLoad({ ...load, requests: tokens });
    const bytesPerToken = ((await server.heap()) - before) / tokens;
    const unconfirmed = problemsInWords(problems) ?? (await confirm?.());
    return { candidate, tokens, bytesPerToken, ...(unconfirmed === undefined ? {} : { disqualified: unconfirmed }) };
  } finally {
    await server.stop();
  }
}

/** @param oursOnly - Whether to omit the peers. */
export async function memoryPerToken(tokens: number, oursOnly: boolean): Promise<readonly MemoryResult[]> {
  const results: MemoryResult[] = [];
  for (const { name, works, frameworks } of candidates) {
    const keepsTokens = works.includes('token') && (isOurs(name) ? name === OURS : frameworks.length < 3);
    const [framework] = frameworks;
    if (!keepsTokens || framework === undefined || (oursOnly && !isOurs(name))) continue;
    results.push(await measure(name, framework, tokens));
  }
  return results;
}

/** The memory of token families in our memory store after their access tokens have expired. */
export function memoryOfFamilies(families: number): FamilyMemory {
  const program = fileURLToPath(new URL('families.js', import.meta.url));
  const said = execFileSync(process.execPath, ['--expose-gc', program, String(families), '2'], { encoding: 'utf8' });
  // The program prints exactly this shape.
  return JSON.parse(said) as FamilyMemory;
}
