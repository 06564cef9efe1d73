import { markdownTable, whole } from '../report/table.js';
import { engineNames, type Latency, operations, type StoreResults } from './results.js';

const NAMES = { token: 'client token', signIn: 'sign-in', refresh: 'refresh', introspect: 'introspection' } as const;

const brief = (value: number): string => (value < 10 ? value.toFixed(1) : whole(value));
const both = ([empty, full]: readonly [Latency, Latency]): string => `${brief(empty.median)}, ${brief(full.median)} µs`;

/** The measurements of the stores as the page shows them. */
export function storesInWords({ date, machine, records, engines }: StoreResults): string {
  const { processor, cores, node } = machine;
  const sizes = engineNames.map((name) => {
    const { bytesPerRecord, add, get, introspection, addsPerSecond, clearedPerSecond } = engines[name];
    const cleared = clearedPerSecond === undefined ? '–' : whole(clearedPerSecond);
    return [name, whole(bytesPerRecord), both(add), both(get), both(introspection), whole(addsPerSecond), cleared];
  });
  const costs = engineNames.map((name) => [
    name,
    ...operations.flatMap((operation) => {
      const { commands, bytes } = engines[name].operations[operation];
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
