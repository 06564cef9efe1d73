import type { ParamsOf, ResultItem, Site } from '../../core/query/index.js';
import { directionOf, pageAddress, titleInUrl } from '../../core/query/toolkit.js';
import type { Content } from '../content.js';
import { titleId } from '../keys.js';
import type { ContentPage, ContentTitle, LinkRow } from '../source.js';
import { type Answer, idsOf, readKey } from './answer.js';
import { oneLinkEach } from './links.js';

/** A page, whether it exists or not. */
interface Subject extends ContentTitle {
  readonly id: number;
  readonly page: ContentPage | undefined;
}

type Params = ParamsOf<'info'>;

interface Known {
  readonly content: Content;
  readonly site: Site;
  /** The direction of the site's language. */
  readonly direction: ReturnType<typeof directionOf>;
  /** Talk pages and their subject pages, by {@link titleId}. */
  readonly talks: ReadonlyMap<string, ContentPage>;
  /** Display titles, by page. */
  readonly displayTitles: ReadonlyMap<number, LinkRow>;
}

/** Basic information about pages. No page is protected. */
export const info: Answer<'info', 'pages'> = async (content, request) => {
  const { params, pages, continue: next, site } = request;
  const [from = -Infinity] = readKey(next, 'number') ?? [];
  const { prop = [] } = params;
  const byId = await content.byId(idsOf(pages), request);
  const subjects = [...pages.existing, ...pages.missing]
    .filter(({ id }) => id >= from)
    .map(({ id, ns, title }): Subject => ({ id, ns, title: content.read(title)?.title ?? '', page: byId.get(id) }));
  const needsTalks = prop.includes('talkid') || prop.includes('subjectid');
  const others = subjects.filter(({ ns }) => ns >= 0).map(({ ns, title }) => ({ ns: ns ^ 1, title }));
  const talks = await content.byTitle(needsTalks ? others : [], request);
  const named = prop.includes('displaytitle') ? idsOf(pages) : [];
  const displayTitles = await oneLinkEach(content.source, 'property', named, request, 'displaytitle');
  const known = { content, site, direction: directionOf(site.language), talks, displayTitles };
  return { pages: new Map(subjects.map((subject) => [subject.id, infoItem(subject, params, known)])) };
};

const infoItem = (subject: Subject, params: Params, known: Known): ResultItem => {
  const { page } = subject;
  const { language } = known.site;
  return {
    contentmodel: page?.model ?? 'wikitext',
    pagelanguage: language,
    pagelanguagehtmlcode: language,
    pagelanguagedir: known.direction,
    ...(page && { touched: page.touched ?? '', lastrevid: page.revid ?? 0, length: page.length ?? 0 }),
    ...(page?.redirect && { redirect: true }),
    ...Object.assign({}, ...(params.prop ?? []).map((prop) => FACTS[prop]?.(subject, known))),
    ...(params.testactions && { actions: actionsOf(params) }),
  };
};

/** Reading is the only allowed action. */
const actionsOf = ({ testactions = [], testactionsdetail }: Params): ResultItem => {
  const refused = [{ code: 'readonlysite', data: {}, text: 'This site is read-only.' }];
  const full = testactionsdetail !== 'boolean';
  return Object.fromEntries(
    testactions.map((action) => [action, full ? (action === 'read' ? [] : refused) : action === 'read']),
  );
};

type Fact = (subject: Subject, known: Known) => ResultItem;

const FACTS: { readonly [P in NonNullable<Params['prop']>[number]]?: Fact } = {
  protection: ({ page, ns }) => ({
    protection: [],
    restrictiontypes: page ? (ns === 6 ? ['edit', 'move', 'upload'] : ['edit', 'move']) : ['create'],
  }),
  talkid: (subject, known) => (subject.ns % 2 === 0 ? otherId('talkid', subject, known) : {}),
  subjectid: (subject, known) => (subject.ns % 2 === 1 ? otherId('subjectid', subject, known) : {}),
  associatedpage: ({ ns, title }, { content }) => ({ associatedpage: content.show({ ns: ns ^ 1, title }) }),
  url: (subject, { content, site }) => urls(content.show(subject), site),
  linkclasses: ({ page }) => ({ linkclasses: page?.redirect ? ['mw-redirect'] : [] }),
  readable: () => ({ readable: true }),
  preload: () => ({ preload: '' }),
  displaytitle: (subject, { content, displayTitles }) => {
    const own = displayTitles.get(subject.id);
    return { displaytitle: own ? (own.text ?? '') : content.show(subject) };
  },
  varianttitles: (subject, { content, site }) => ({ varianttitles: { [site.language]: content.show(subject) } }),
  watched: () => ({ watched: false }),
};

const otherId = (name: string, { ns, title }: Subject, { talks }: Known): ResultItem => {
  const other = talks.get(titleId({ ns: ns ^ 1, title }));
  return other ? { [name]: other.id } : {};
};

const urls = (title: string, site: Site): ResultItem => {
  const fullurl = pageAddress(title, site);
  const editurl = `${site.server}/index.php?title=${titleInUrl(title)}&action=edit`;
  return { fullurl, editurl, canonicalurl: fullurl };
};
