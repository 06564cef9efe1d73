import Session, { set } from 'm3api';
import { Mwn } from 'mwn';
import Nodemw from 'nodemw';

type Item = Readonly<Record<string, unknown>>;

/** A walk of a published client through everything that a site has of something, and what it has found. */
export type ClientWalk = (base: string) => Promise<unknown>;

const USER_AGENT = 'tests';
const apiOf = (base: string): string => `${base}/w/api.php`;

const nodemw =
  (method: string, ...values: readonly unknown[]): ClientWalk =>
  (base) => {
    const { hostname, port } = new URL(base);
    const bot = new Nodemw({ protocol: 'http', server: hostname, port: Number(port), path: '/w', debug: false });
    // Its own types leave out half of its methods.
    const call = (bot as unknown as Readonly<Record<string, (...values: unknown[]) => void>>)[method]!;
    return new Promise((resolve, reject) => {
      call.call(bot, ...values, (error: unknown, value: unknown) => (error ? reject(error) : resolve(value)));
    });
  };

const mwn =
  (walk: (bot: Mwn) => Promise<unknown>): ClientWalk =>
  async (base) => {
    const bot = new Mwn({ apiUrl: apiOf(base), userAgent: USER_AGENT, silent: true, maxRetries: 0 });
    await bot.getSiteInfo();
    return walk(bot);
  };

const m3api =
  (params: Readonly<Record<string, unknown>>): ClientWalk =>
  async (base) => {
    const warn = (warning: Error): void => {
      throw warning;
    };
    const session = new Session(apiOf(base), { formatversion: 2 }, { userAgent: USER_AGENT, warn });
    const found: Item[] = [];
    const answers = session.requestAndContinue({ action: 'query', ...params } as never);
    // Its description calls the parts of an answer plain objects.
    for await (const { query } of answers as AsyncIterable<{ readonly query: Readonly<Record<string, unknown>> }>) {
      for (const part of Object.values(query)) if (Array.isArray(part)) found.push(...(part as Item[]));
    }
    return found;
  };

/** With three at once, and by every list that a client without a name for it can ask for. */
const lists: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  allpages: { aplimit: 40 },
  allcategories: { aclimit: 3, acprop: 'size' },
  alllinks: { allimit: 40, alprop: 'ids|title' },
  allfileusages: { aflimit: 40, afprop: 'ids|title' },
  allredirects: { arlimit: 3, arprop: 'ids|title' },
  allrevisions: { arvlimit: 40 },
  allusers: { aulimit: 1, auprop: 'editcount' },
  backlinks: { bltitle: 'Page 00000', bllimit: 40 },
  categorymembers: { cmtitle: 'Category:All', cmlimit: 40 },
  exturlusage: { eulimit: 40, euprop: 'ids|title|url' },
  imageusage: { iutitle: 'File:Picture 1.png', iulimit: 3 },
  prefixsearch: { pssearch: 'Page 0001', pslimit: 3 },
  recentchanges: { rclimit: 40 },
  search: { srsearch: 'rope', srlimit: 40, srprop: '' },
  usercontribs: { ucuser: 'Alice', uclimit: 40 },
};

/** Every walk that the clients offer and that content answers. */
export const CLIENT_WALKS: Readonly<Record<string, ClientWalk>> = {
  'nodemw getAllPages': nodemw('getAllPages'),
  'nodemw getCategories': nodemw('getCategories', 'G'),
  'nodemw getUsers': nodemw('getUsers', {}),
  'nodemw getPagesInCategory': nodemw('getPagesInCategory', 'All'),
  'nodemw getPagesInNamespace': nodemw('getPagesInNamespace', 14),
  'nodemw getPagesByPrefix': nodemw('getPagesByPrefix', 'Page 0'),
  'nodemw getArticleRevisions': nodemw('getArticleRevisions', 'Page 00003'),
  'nodemw getArticleCategories': nodemw('getArticleCategories', 'Page 00003'),
  'nodemw search': nodemw('search', 'rope'),
  'nodemw getUserContribs': nodemw('getUserContribs', { user: 'Alice' }),
  'nodemw getRecentChanges': nodemw('getRecentChanges', ''),
  'nodemw getImagesFromArticle': nodemw('getImagesFromArticle', 'Page 00003'),
  'nodemw getImageUsage': nodemw('getImageUsage', 'File:Picture 1.png'),
  'nodemw getExternalLinks': nodemw('getExternalLinks', 'Page 00003'),
  'nodemw getBacklinks': nodemw('getBacklinks', 'Page 00000'),
  'mwn links': mwn((bot) => new bot.Page('Page 00003').links()),
  'mwn categories': mwn((bot) => new bot.Page('Page 00003').categories()),
  'mwn images': mwn((bot) => new bot.Page('Page 00003').images()),
  'mwn externallinks': mwn((bot) => new bot.Page('Page 00003').externallinks()),
  'mwn backlinks': mwn((bot) => new bot.Page('Page 00000').backlinks()),
  'mwn history': mwn((bot) => new bot.Page('Page 00003').history(['ids', 'timestamp', 'user'], 1)),
  'mwn category members': mwn((bot) => new bot.Category('Category:All').members()),
  'mwn contributions': mwn((bot) => new bot.User('Alice').contribs()),
  'mwn search': mwn((bot) => bot.search('rope', 40, [])),
  'm3api, generated pages with properties': m3api({
    ...{ generator: 'allpages', gaplimit: 30, prop: set('links', 'categories', 'info'), pllimit: 20, cllimit: 20 },
  }),
  ...Object.fromEntries(Object.entries(lists).map(([list, params]) => [`m3api ${list}`, m3api({ list, ...params })])),
};
