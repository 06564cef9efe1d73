import { type ContentLink, type MemoryPage, urlTarget } from '../content/index.js';

const link = (kind: ContentLink['kind'], title: string, ns = 0, text?: string): ContentLink =>
  text === undefined ? { kind, ns, title } : { kind, ns, title, text };

const url = (address: string): ContentLink => link('url', urlTarget(address) ?? '', 0, address);

/** Letters whose order differs between code points, UTF-16 code units, and languages. */
const NAMES = ['Apple', 'Apple pie', 'Apples', 'Zebra', 'APPLE', 'Äpfel', 'Ärger', '\uff21pple', '😀 Apple', 'A%b'];

const USERS = ['Alice', 'Bob', 'Zoë', '192.0.2.7'];

const page = (index: number, ns: number, title: string, links: readonly ContentLink[]): MemoryPage => ({
  id: index * 3 + 7,
  ns,
  title,
  text: `${title} is number ${index} of the pages, about ${index % 3 === 0 ? 'rope and sail' : 'wood'}.`,
  user: USERS[index % 4] ?? '',
  userid: (index % 4 === 3 ? -1 : index % 4) + 1,
  comment: `change ${index}`,
  // Several pages share a timestamp.
  timestamp: `2024-01-${String(1 + Math.floor(index / 4)).padStart(2, '0')}T10:00:00Z`,
  links,
});

const linksOf = (index: number): readonly ContentLink[] => [
  link('link', NAMES[(index + 1) % NAMES.length] ?? ''),
  ...(index % 2 === 0 ? [link('link', 'Nowhere'), link('template', 'Box', 10)] : []),
  ...(index % 3 === 0 ? [link('file', 'Picture.png', 6), url(`https://www.example.org/${index}`)] : []),
  ...(index % 4 === 0 ? [url('http://example.com/'), link('property', 'notoc')] : []),
  ...(index % 5 === 0 ? [link('language', `de:Seite ${index}`), link('interwiki', `commons:Thing ${index}`)] : []),
  link('category', 'All', 14, index % 3 === 1 ? `key ${30 - index}` : undefined),
  ...(index % 2 === 1 ? [link('category', 'Odd', 14)] : []),
];

const redirect = (index: number, title: string, to: string): MemoryPage => ({
  ...page(index, 0, title, [link('redirect', to, 0, 'Part'), link('link', to)]),
  redirect: { to, fragment: 'Part' },
});

const plain: readonly MemoryPage[] = [
  ...NAMES.map((name, index) => page(index, 0, name, linksOf(index))),
  ...[0, 1, 2].map((n) => page(20 + n, 1, NAMES[n] ?? '', linksOf(20 + n))),
  page(30, 14, 'All', [link('category', 'Top', 14)]),
  page(31, 14, 'Odd', [link('category', 'All', 14), link('property', 'hiddencat')]),
  page(32, 6, 'Picture.png', [link('category', 'All', 14)]),
  page(33, 10, 'Box', []),
  redirect(40, 'To Apple', 'Apple'),
  redirect(41, 'To Zebra', 'Zebra'),
];

/** The pages a source is filled with for the contract: with exactly these ids, users, times and links. */
export const CONTRACT_PAGES: readonly MemoryPage[] = plain.map((one, index) => {
  const { text, timestamp = '', user = '', userid = 0, comment = '' } = one;
  const first = 100 + index * 4;
  const latest = { id: first + 1, text, timestamp, user, userid, comment };
  if (index % 3 !== 0 || [6, 14].includes(one.ns ?? 0)) return { ...one, history: [{ ...latest, id: first }] };
  const before = {
    ...latest,
    id: first,
    text: `${text} Once.`,
    timestamp: '2023-12-31T23:59:59Z',
    user: 'Alice',
    userid: 1,
  };
  return { ...one, history: [before, { ...latest, parent: first }] };
});
