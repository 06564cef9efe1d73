import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import type { Machine } from './results.js';

/** The name and version of the distribution, if there is one. */
function distribution(): string | undefined {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Describes the machine, without anything that identifies its owner. */
export function describeMachine(): Machine {
  const processors = cpus();
  const kernel = `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ''}`.trim();
  const name = distribution();
  return {
    processor: processors[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown',
    cores: processors.length,
    memory: Math.round(totalmem() / 2 ** 30),
    system: name === undefined ? kernel : `${name}, ${kernel}`,
    node: process.version,
  };
}
