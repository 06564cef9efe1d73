import { readFileSync } from 'node:fs';

/** The first columns of the table under a heading of a document. */
export const rowsOf = (path: string, heading: string, columns: number): readonly string[] => {
  const [, part = ''] = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8').split(`# ${heading}\n`);
  return (part.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, columns + 1)
        .map((cell) => cell.trim())
        .join(' → '),
    );
};

/** The states of a grant, as docs/security.md lists what works in each of them. */
export const states = (): readonly string[] => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const [, list = ''] = page.split('What works in each state:\n\n');
  return (list.split('\n\n')[0] ?? '')
    .split('\n')
    .flatMap((line) => [...(line.split(':')[0] ?? '').matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name));
};

/** As the page names it: half of its records are not enough to give access. */
const named = (arrow: string): string =>
  arrow
    .split(' → ')
    .map((state) =>
      state === 'nothing' || state === 'half written' ? 'no grant' : state === 'received' ? 'sent' : state,
    )
    .join(' → ');

/** The steps that were seen, as the page names them. */
export const seenSteps = (arrows: Iterable<string>): readonly string[] => {
  const seen = new Set([...arrows].map(named));
  seen.delete('no grant → no grant');
  return [...seen].sort();
};
