import type { ContentLink, MemoryPage, VisiblePages } from 'oauth-query/content';

/** Every private page has this in its title, and the mark in its text; nothing public contains either. */
export const HIDDEN = 'Hidden';
export const MARK = 'zanzibar';

export const isOpen = (title: string): boolean => !title.includes(HIDDEN);

const category = (title: string): ContentLink => ({ kind: 'category', ns: 14, title });
const to = (title: string): ContentLink => ({ kind: 'link', ns: 0, title });
const redirectTo = (title: string): Pick<MemoryPage, 'redirect' | 'links'> => ({
  redirect: { to: title },
  links: [{ kind: 'redirect', ns: 0, title }, to(title)],
});

/** How many pages the rows of a list are read from, every second one hidden: the others alone are more than one response reads. */
const MUCH = 2_100;

/** Times of hidden pages are later, so that a source that numbers revisions by time gives the others the same ids. */
const time = (isHidden: boolean, second: number): string =>
  `202${isHidden ? 5 : 4}-01-01T00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}Z`;

/** Hidden pages lie between the others in every order, lead to them, and are led to in every way. */
const GIVEN: readonly MemoryPage[] = [
  ...Array.from({ length: 60 }, (_, index): MemoryPage => {
    const isHidden = index % 2 === 1;
    const host = isHidden ? HIDDEN.toLowerCase() : 'open';
    const name = `Page ${String(index).padStart(2, '0')}${isHidden ? ` ${HIDDEN}` : ''}`;
    const next = `Page ${String((index + 1) % 60).padStart(2, '0')}${isHidden ? '' : ` ${HIDDEN}`}`;
    return {
      title: name,
      text: `${isHidden ? MARK : 'open'} word`,
      user: isHidden && index % 4 === 1 ? 'Mallory' : 'Alice',
      userid: isHidden && index % 4 === 1 ? 2 : 1,
      comment: isHidden ? MARK : 'open',
      timestamp: time(isHidden, Math.floor(index / 2)),
      links: [
        to(next),
        ...(next === 'Page 00' ? [] : [to('Page 00')]),
        to(isHidden ? `Nowhere ${HIDDEN}` : 'Nowhere'),
        category('Mixed'),
        category(`Both ${HIDDEN}`),
        category(isHidden ? `Only ${HIDDEN}` : 'Open'),
        { kind: 'template', ns: 10, title: isHidden ? `Only ${HIDDEN}` : 'Box' },
        { kind: 'template', ns: 10, title: `Box ${HIDDEN}` },
        { kind: 'file', ns: 6, title: 'Picture.png' },
        { kind: 'file', ns: 6, title: `${HIDDEN}.png` },
        { kind: 'url', ns: 0, title: `org.example.${host}./ https`, text: `https://${host}.example.org/` },
        { kind: 'language', ns: 0, title: isHidden ? `de:${HIDDEN}` : 'de:Offen' },
        { kind: 'interwiki', ns: 0, title: isHidden ? `other:${HIDDEN}` : 'other:Open' },
        { kind: 'property', ns: 0, title: isHidden ? `${HIDDEN}prop` : 'openprop', text: 'value' },
      ],
    };
  }),
  { title: 'Way', text: '', ...redirectTo(`Page 01 ${HIDDEN}`) },
  { title: `${HIDDEN} way`, text: MARK, ...redirectTo('Page 00') },
  { title: 'Open way', text: 'open', ...redirectTo('Page 00') },
  { ns: 1, title: 'Page 00', text: 'Talk.', user: '192.0.2.7' },
  { ns: 1, title: `Page 01 ${HIDDEN}`, text: `${MARK}.`, user: '192.0.2.9' },
  { ns: 14, title: 'Mixed', text: '', links: [{ kind: 'property', ns: 0, title: 'hiddencat' }] },
  { ns: 14, title: `Only ${HIDDEN}`, text: MARK },
  { ns: 14, title: `Both ${HIDDEN}`, text: MARK, links: [{ kind: 'property', ns: 0, title: 'hiddencat' }] },
  { ns: 10, title: `Box ${HIDDEN}`, text: MARK },
  { ns: 6, title: 'Picture.png', text: '', file: { url: 'https://files.example/1', size: 1, mime: 'image/png' } },
  {
    ns: 6,
    title: `${HIDDEN}.png`,
    text: MARK,
    file: { url: 'https://files.example/2', size: 1, mime: 'image/png' },
  },
  ...Array.from({ length: MUCH }, (_, index): MemoryPage => {
    const isHidden = index % 2 === 1;
    return {
      title: `Much ${String(index).padStart(4, '0')}${isHidden ? ` ${HIDDEN}` : ''}`,
      text: index === MUCH - 2 ? 'rare, and long enough' : isHidden ? `${MARK} rare` : 'frequent',
      user: isHidden ? `Mallory ${index}` : 'Bob',
      userid: isHidden ? 100 + index : 3,
      timestamp: time(isHidden, 60 + Math.floor(index / 2)),
    };
  }),
];

/** Those of GIVEN with ids, so that they are the same without the hidden pages. */
export const PAGES: readonly MemoryPage[] = GIVEN.map((page, index) => {
  const unknown = isOpen(page.title) ? '2023-01-01T00:00:00Z' : '2025-03-01T00:00:00Z';
  const { text, timestamp = unknown, user = 'Alice', userid = user === 'Alice' ? 1 : 0 } = page;
  const revision = { id: index + 1, text, timestamp, user, userid, comment: page.comment ?? '' };
  return { ...page, id: index + 1, history: [revision] };
});

/** Only signed-in users see the hidden pages. */
export const visible: VisiblePages = (pages, { caller }) =>
  caller ? pages : pages.filter(({ title }) => isOpen(title));

export const OPEN_PAGES: readonly MemoryPage[] = PAGES.filter(({ title }) => isOpen(title));

export const SITE = {
  interwiki: { de: { url: 'https://de.example/$1', language: 'Deutsch' }, other: 'https://other.example/$1' },
};
