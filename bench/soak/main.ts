/**
 * Runs four processes of a server with every feature on one Redis under mixed load and checks every response; with `--rolling` a second time while
 * they are restarted one at a time.
 *
 *     npm run soak -- --minutes 10 --rolling
 *
 * With `--fuzz`, sends this many random requests to one process instead:
 *
 *     npm run soak -- --fuzz 1000000
 *
 * Exits with 1 if a bound did not hold.
 */
import { parseArgs } from 'node:util';
import { noRedis } from '../../test/stores/engines/redis.js';
import { fuzz } from './fuzz.js';
import { brokenBounds, print } from './report.js';
import { soak } from './soak.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    connections: { type: 'string', default: '200' },
    rolling: { type: 'boolean', default: false },
    fuzz: { type: 'string' },
    seed: { type: 'string', default: '20260101' },
  },
});

const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name} must be a number above 0, not "${text}".`);
  process.exit(2);
};

if (values.fuzz !== undefined) {
  const { statuses, broken } = await fuzz(positive('fuzz', values.fuzz), positive('seed', values.seed));
  for (const [status, count] of [...statuses].toSorted(([a], [b]) => a - b)) console.log(`${status}: ${count}`);
  for (const bound of broken) console.error(`BROKEN: ${bound}`);
  process.exit(broken.length === 0 ? 0 : 1);
}

const minutes = positive('minutes', values.minutes);
const connections = positive('connections', values.connections);
if (noRedis !== undefined) {
  console.error(`The soak needs a Redis of its own: ${noRedis}.`);
  process.exit(2);
}

console.log(
  `${connections} connections, 4 processes, ${minutes} min${values.rolling ? ', twice: steady and rolling' : ''}`,
);
const result = await soak(
  { seconds: minutes * 60, connections, processes: 4, sampleEvery: minutes < 2 ? 3 : 10 },
  values.rolling,
);
print(result);
const broken = brokenBounds(result);
for (const bound of broken) console.error(`BROKEN: ${bound}`);
process.exitCode = broken.length === 0 ? 0 : 1;
