/** Prints the answers of sites in several languages: of an export, of memory and of a folder. */
import { sourcesOf, worldServer } from './sites.js';
import { SEARCHES, TITLES } from './vectors.js';

const [, , folder = ''] = process.argv;
const sources = sourcesOf(folder);
const FORMS: readonly Readonly<Record<string, string>>[] = [
  { list: 'allpages|allusers|allrevisions', aplimit: 'max', arvprop: 'ids|timestamp|user|sha1', arvlimit: 'max' },
  { generator: 'allpages', gaplimit: 'max', prop: 'info|extracts', exchars: '9', exlimit: 'max' },
  { meta: 'siteinfo', siprop: 'general|namespaces' },
];

for (const language of ['tr', 'zh', 'ar']) {
  const rows = SEARCHES.filter(([of]) => of === language);
  const pages = new Map(rows.map(([, title, text]) => [title, text]));
  for (const [of, title] of TITLES) if (of === language) pages.set(title, 'x');
  for (const source of ['export', 'memory', 'folder'] as const) {
    const { ask } = worldServer(await sources[source](language, [...pages]));
    for (const form of FORMS) console.log(await ask({ action: 'query', ...form }));
    for (const [, , , srsearch] of rows) console.log(await ask({ action: 'query', list: 'search', srsearch }));
    for (const [of, , titles] of TITLES) if (of === language) console.log(await ask({ action: 'query', titles }));
    console.log(await ask({ action: 'opensearch', search: 'i' }));
  }
}
process.exit();
