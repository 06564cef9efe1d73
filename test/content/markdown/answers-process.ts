/** Prints the answers of a folder, whose entries are listed in another order. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { markdownFolder } from 'oauth-query/content/markdown';
import { worldServer } from '../world/sites.js';

const [, , folder = '', turn = '0'] = process.argv;
const { readdirSync } = fs;
fs.readdirSync = ((...args: Parameters<typeof readdirSync>) => {
  const entries = readdirSync(...args);
  const at = Number(turn) % Math.max(entries.length, 1);
  return [...entries.slice(at), ...entries.slice(0, at)];
}) as typeof readdirSync;
syncBuiltinESMExports();

// No list in the order of time: the time of a file is a time.
const FORMS: readonly Readonly<Record<string, string>>[] = [
  { list: 'allpages|allusers', aplimit: 'max' },
  { list: 'search', srsearch: 'text', srlimit: '3' },
  { generator: 'allpages', gaplimit: 'max', prop: 'info|links|images|categories|extracts', exlimit: 'max' },
  { pageids: '1|2|3|4|5|6|7|8|9', prop: 'revisions', rvprop: 'ids|timestamp|user|userid|sha1|content' },
  { list: 'allimages|allcategories' },
  { meta: 'siteinfo', siprop: 'general|statistics' },
];

const { ask } = worldServer(
  await markdownFolder(folder, { watch: false, site: { name: 'Notes' }, onProblem: (text) => console.log(text) }),
);
for (const form of FORMS) console.log(await ask({ action: 'query', ...form }));
process.exit();
