import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Framework, frameworks } from './candidates.js';
import { median } from './statistics.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Milliseconds from the start of a process until it has done the import: by the clock, and of CPU time. */
interface Start {
  readonly wall: number;
  readonly cpu: number;
}

function start(specifier: string | undefined): Start {
  const program = `${specifier === undefined ? '' : `await import('${specifier}');`}
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ wall: performance.now(), cpu: (user + system) / 1000 }));`;
  // The program prints exactly this shape.
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' }),
  ) as Start;
}

/** What importing each adapter adds to a node process that imports nothing: medians of so many interleaved pairs. */
export function importTimes(rounds: number): ReadonlyMap<Framework, Start> {
  const extra = new Map(frameworks.map((framework) => [framework, { wall: [] as number[], cpu: [] as number[] }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [framework, { wall, cpu }] of extra) {
      const plain = start(undefined);
      const adapter = start(`oauth-query/${framework}`);
      wall.push(adapter.wall - plain.wall);
      cpu.push(adapter.cpu - plain.cpu);
    }
  }
  return new Map([...extra].map(([framework, { wall, cpu }]) => [framework, { wall: median(wall), cpu: median(cpu) }]));
}
