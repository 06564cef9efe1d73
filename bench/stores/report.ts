import { markdownTable, whole } from '../report/table.js';
import { type Latency, measuredEngines, operations, type StoreResults } from './results.js';

const NAMES = { token: 'client token', signIn: 'sign-in', refresh: 'refresh', introspect: 'introspection' } as const;

const brief = (value: number): string => (value < 10 ? value.toFixed(1) : whole(value));
const both = ([empty, full]: readonly [Latency, Latency]): string => `${brief(empty.median)}, ${brief(full.median)} µs`;

/** The measurements of the stores as the page shows them. */
export function storesInWords(stores: StoreResults): string {
  const { date, machine, records } = stores;
  const { processor, cores, node } = machine;
  const measured = measuredEngines(stores);
  const sizes = measured.map(([name, { bytesPerRecord, add, get, introspection, addsPerSecond, clearedPerSecond }]) => {
    const cleared = clearedPerSecond === undefined ? '–' : whole(clearedPerSecond);
    return [name, whole(bytesPerRecord), both(add), both(get), both(introspection), whole(addsPerSecond), cleared];
  });
  const costs = measured.map(([name, results]) => [
    name,
    ...operations.flatMap((operation) => {
      const { commands, bytes } = results.operations[operation];
      return operation === 'introspect' ? [brief(commands)] : [brief(commands), whole(bytes)];
    }),
  ]);
  const head = ['', 'bytes per record', 'add', 'get', 'introspection', 'adds/s', 'cleared/s'];
  const headOfCosts = [
    '',
    ...operations.flatMap((operation) => {
      const commands = `${NAMES[operation]}: commands`;
      return operation === 'introspect' ? [commands] : [commands, 'bytes'];
    }),
  ];
  return [
    `Measured on ${date}: ${processor}, ${cores} cores, Node ${node.slice(1)}, with an empty store and with ${whole(records)} live records.`,
    markdownTable(head, sizes),
    'Commands and bytes of each operation:',
    markdownTable(headOfCosts, costs),
  ].join('\n\n');
}
