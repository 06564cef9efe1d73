/** The databases of the record, started for it on 127.0.0.1, and the CPU time they use. */
import { readdirSync, readFileSync } from 'node:fs';
import { startMariadb } from '../../test/stores/engines/mariadb.js';
import { startPostgres } from '../../test/stores/engines/postgres.js';
import { startRedis } from '../../test/stores/engines/redis.js';
import type { DatabaseName } from './lineup.js';

export interface Database {
  readonly url: string;
  /** Microseconds of CPU time so far, of all its processes. */
  cpu(): number;
  stop(): Promise<void>;
}

const programs = {
  Redis: { name: 'redis-server', start: () => startRedis() },
  PostgreSQL: { name: 'postgres', start: () => startPostgres() },
  MariaDB: { name: 'mariadbd', start: () => startMariadb() },
} as const;

export async function startDatabase(name: DatabaseName): Promise<Database> {
  const program = programs[name];
  const server = await program.start();
  return {
    url: server.url,
    cpu: () => cpuOfChildren(program.name),
    stop: () => server.remove(),
  };
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** All processes, from Linux's `/proc`. */
function processes(): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid): ProcessEntry[] => {
      const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/.exec(textOf(`/proc/${pid}/stat`)) ?? [];
      return parent === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), name }];
    });
}

/** The children of this process with this name, and their own children. */
function cpuOfChildren(name: string): number {
  const all = processes();
  const direct = all.filter((one) => one.parent === process.pid && one.name === name).map(({ pid }) => pid);
  const pids = [...direct, ...all.filter(({ parent }) => direct.includes(parent)).map(({ pid }) => pid)];
  return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

/** Of all threads; the first number of `schedstat` is the CPU time in nanoseconds. */
function cpuOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((thread) => Number(/^\d+/.exec(textOf(`${folder}/${thread}/schedstat`))?.[0] ?? 0) / 1000)
    .reduce((sum, microseconds) => sum + microseconds, 0);
}

/** Empty if the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
