import { canPin } from '../http/measured-server.js';
import { installedVersions } from '../process/installed-size.js';
import { describeMachine } from './machine.js';
import type { Conditions } from './results.js';

export const CONNECTIONS = 16;

/** The conditions of a run that happens now. */
export const conditionsNow = ({ rounds, requests }: Pick<Conditions, 'rounds' | 'requests'>): Conditions => ({
  date: new Date().toISOString().slice(0, 10),
  machine: describeMachine(),
  versions: installedVersions(),
  rounds,
  requests,
  connections: CONNECTIONS,
  pinned: canPin,
});

/** @param full - The defaults: a run with fewer requests is marked as short. */
export function conditionsInWords(conditions: Conditions, full: Pick<Conditions, 'rounds' | 'requests'>): string {
  const { date, machine, versions, rounds, requests, connections, pinned } = conditions;
  const { processor, cores, memory, system, node } = machine;
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return (
    `Measured on ${date}: ${processor}, ${cores} cores, ${memory} GB, ${system}, Node ${node.slice(1)}. ` +
    `${rounds} rounds of ${requests} requests over ${connections} connections, ` +
    `${pinned ? 'servers and load pinned to a core each' : 'not pinned to cores'}.` +
    `${rounds * requests < full.rounds * full.requests ? ' **A short run, for orientation only.**' : ''}\n\nVersions: ${listed.join(', ')}.`
  );
}
