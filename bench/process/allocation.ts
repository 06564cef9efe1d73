/**
 * What a server allocates for a piece of work: the heap before and after some thousand of them, in a process whose young generation is so large that
 * nothing is collected in between. Unlike times, it is the same on every machine with this version of Node, whatever else runs there.
 */
import { candidatesFor, type Framework, type HttpWork, isOurs, MINIMUM, MINIMUM_PLUS } from '../candidates.js';
import { exchangeFor } from '../http/exchanges.js';
import { problemsInWords, sendLoad } from '../http/load.js';
import { MeasuredServer } from '../http/measured-server.js';
import type { AllocationResult } from '../report/results.js';

const CONNECTIONS = 16;
/** Until code is compiled: bytecode and optimised code are allocated only once. */
const WARM_UP = 6_000;
const REQUESTS = 2_000;
/** Megabytes of each half of the young generation: more than {@link REQUESTS} of any work need. */
const HALF = 512;
const FLAGS = ['--expose-gc', `--min-semi-space-size=${HALF}`, `--max-semi-space-size=${HALF}`];

const WORKS = ['token', 'refresh', 'flow', 'guard'] as const satisfies readonly HttpWork[];

async function measure(work: HttpWork, framework: Framework, candidate: string): Promise<AllocationResult> {
  const server = await MeasuredServer.start({ framework, candidate, flags: FLAGS });
  try {
    const { steps = 1, prepare, next, problem, confirm } = exchangeFor(work, { port: server.port, candidate });
    const load = { port: server.port, connections: CONNECTIONS, next, problem };
    await prepare?.(WARM_UP * steps, CONNECTIONS);
    const warm = await sendLoad({ ...load, requests: WARM_UP * steps });
    await prepare?.(REQUESTS * steps, CONNECTIONS);
    // Collects, so that the measured requests find an empty young generation.
    await server.heap();
    const before = await server.allocated();
    const { problems } = await sendLoad({ ...load, requests: REQUESTS * steps });
    const after = await server.allocated();
    const collected = after.collections === before.collections ? undefined : 'the heap was collected meanwhile';
    const disqualified =
      problemsInWords(problems) ?? problemsInWords(warm.problems) ?? collected ?? (await confirm?.());
    const result = { work, framework, candidate, bytes: (after.used - before.used) / REQUESTS };
    return disqualified === undefined ? result : { ...result, disqualified };
  } finally {
    await server.stop();
  }
}

/** Of our own servers and of the two minimums, on one framework. */
export async function allocations(frameworks: readonly Framework[]): Promise<readonly AllocationResult[]> {
  const results: AllocationResult[] = [];
  for (const work of WORKS)
    for (const framework of frameworks)
      for (const { name } of candidatesFor(work, framework))
        if (isOurs(name) || name === MINIMUM || name === MINIMUM_PLUS)
          results.push(await measure(work, framework, name));
  return results;
}
