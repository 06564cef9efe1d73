import { expect } from 'vitest';
import type { QueryHost } from './same-pages.js';
import { type Json, type Params, walk } from './walk.js';

const KNOTS =
  'Boat|Bowline|Reef knot|Rope|Sail|Knot|Mast|Lighthouse|Main Page|Category:Knots|File:Bowline.png|Template:Stub|Page 00003|Nowhere';

/** Each kind of query, and the parameter that limits it, if any. */
export const QUERIES: readonly (readonly [query: string, limit: string])[] = [
  ['list=allpages', 'aplimit'],
  ['list=allpages&apdir=descending&apfrom=Rope&apto=Page 00140', 'aplimit'],
  ['list=allpages&apprefix=page 000', 'aplimit'],
  ['list=allpages&apnamespace=14', 'aplimit'],
  ['list=allpages&apfilterredir=redirects', 'aplimit'],
  ['list=allpages&apminsize=300&apmaxsize=500&apfilterredir=nonredirects', 'aplimit'],
  ['list=allpages&apfilterlanglinks=withlanglinks&apto=Lz', 'aplimit'],
  ['list=allcategories&acprop=size|hidden', 'aclimit'],
  ['list=allcategories&acmin=3&acmax=30&acdir=descending&acprop=size', 'aclimit'],
  ['list=alllinks&alprop=ids|title&alfrom=Page 0013&alto=Rope', 'allimit'],
  ['list=alllinks&alunique=&alfrom=M', 'allimit'],
  ['list=alllinks&alnamespace=12&alprop=ids|title&aldir=descending', 'allimit'],
  ['list=alltransclusions&atprop=ids|title&atprefix=K', 'atlimit'],
  ['list=allfileusages&afunique=', 'aflimit'],
  ['list=allredirects&arprop=ids|title|fragment', 'arlimit'],
  ['list=allrevisions&arvuser=Carol&arvprop=ids|timestamp|size|sha1|comment', 'arvlimit'],
  ['list=allusers&auprop=editcount|registration', 'aulimit'],
  ['list=users&ususers=Alice|Nobody|192.0.2.17&usprop=editcount', ''],
  ['list=backlinks&bltitle=Reef knot', 'bllimit'],
  ['list=backlinks&bltitle=Page 00000&blredirect=', 'bllimit'],
  ['list=backlinks&bltitle=Rope&bldir=descending', 'bllimit'],
  ['list=embeddedin&eititle=Template:Stub', 'eilimit'],
  ['list=imageusage&iutitle=File:Picture 1.png', 'iulimit'],
  ['list=categorymembers&cmtitle=Category:Knots&cmprop=ids|title|sortkey|sortkeyprefix|type|timestamp', 'cmlimit'],
  ['list=categorymembers&cmtitle=Category:All&cmdir=desc&cmstartsortkeyprefix=page 00100', 'cmlimit'],
  ['list=categorymembers&cmtitle=Category:Knots&cmsort=timestamp&cmdir=older', 'cmlimit'],
  ['list=exturlusage&euquery=*.example.org&euprotocol=https', 'eulimit'],
  ['list=langbacklinks&lbllang=de&lblprop=lllang|lltitle', 'lbllimit'],
  ['list=iwbacklinks&iwblprefix=encyclopedia&iwblprop=iwtitle', 'iwbllimit'],
  ['list=pagepropnames', 'ppnlimit'],
  ['list=pageswithprop&pwppropname=displaytitle&pwpprop=ids|title|value', 'pwplimit'],
  [
    'list=recentchanges&rctype=edit|new&rcprop=ids|title|sizes|user|flags|timestamp&rcshow=!anon&rcnamespace=0|1',
    'rclimit',
  ],
  ['list=usercontribs&ucuser=Bob|Carol&ucprop=ids|title|sizediff|flags&ucshow=!new', 'uclimit'],
  ['list=usercontribs&uciprange=192.0.2.0/24', 'uclimit'],
  ['list=prefixsearch&pssearch=Bo&psnamespace=0|14', 'pslimit'],
  [`prop=categories&titles=${KNOTS}&clprop=sortkey|hidden`, 'cllimit'],
  [`prop=categoryinfo&titles=${KNOTS}`, ''],
  [`prop=extlinks&titles=${KNOTS}`, 'ellimit'],
  [`prop=fileusage&titles=${KNOTS}`, 'fulimit'],
  [`prop=images&titles=${KNOTS}`, 'imlimit'],
  [`prop=info&titles=${KNOTS}&inprop=talkid|displaytitle|url|associatedpage`, ''],
  [`prop=iwlinks&titles=${KNOTS}`, 'iwlimit'],
  [`prop=langlinks&titles=${KNOTS}&lldir=descending`, 'lllimit'],
  [`prop=links&titles=${KNOTS}`, 'pllimit'],
  [`prop=linkshere&titles=${KNOTS}&lhshow=!redirect`, 'lhlimit'],
  [`prop=redirects&titles=${KNOTS}&rdprop=pageid|title|fragment`, 'rdlimit'],
  [`prop=templates&titles=${KNOTS}`, 'tllimit'],
  [`prop=transcludedin&titles=${KNOTS}`, 'tilimit'],
  [`prop=pageprops&titles=${KNOTS}`, ''],
  [`prop=revisions&titles=${KNOTS}&rvprop=ids|content|timestamp|user|size&rvslots=main`, ''],
  ['prop=revisions&titles=Bowline&rvprop=ids|timestamp|size&rvdir=newer', 'rvlimit'],
  [`prop=extracts&titles=${KNOTS}&exintro=&explaintext=`, 'exlimit'],
  ['generator=categorymembers&gcmtitle=Category:Knots&prop=links|categories&pllimit=3&cllimit=2', 'gcmlimit'],
  ['generator=allpages&gapprefix=Page 0001&prop=info|redirects&rdlimit=2', 'gaplimit'],
  ['generator=links&titles=Boat|Rope|Knot&prop=categories', 'gpllimit'],
];

/** An answer without the port of its host. */
const portable = (host: QueryHost, json: Json): Json =>
  JSON.parse(JSON.stringify(json).replaceAll(host.base, 'http://host.example')) as Json;

/** All results of a client that follows continuations, and the number of responses. */
export const gather = async (host: QueryHost, query: string, limit: string, size: string): Promise<readonly Json[]> => {
  const send = async (all: Params): Promise<Json> => {
    const { json } = await host.query(all);
    expect({ error: json['error'], warnings: json['warnings'] }).toEqual({});
    return portable(host, json);
  };
  const params = Object.fromEntries(new URLSearchParams(query));
  return walk(send, limit === '' ? params : { ...params, [limit]: size });
};

/** The items of lists, and of pages by their title, of all answers together. */
export function merged(answers: readonly Json[]): Json {
  const all: Record<string, unknown[]> = {};
  const add = (name: string, items: readonly unknown[]): void => void (all[name] ??= []).push(...items);
  for (const { query = {} } of answers as readonly { readonly query?: Json }[]) {
    for (const [name, value] of Object.entries(query)) {
      if (name === 'normalized' || !Array.isArray(value)) continue;
      if (name !== 'pages') add(name, value);
      else
        for (const page of value as readonly Json[]) {
          for (const [key, part] of Object.entries(page)) {
            const path = `${String(page['title'])} ${key}`;
            if (Array.isArray(part)) add(path, part);
            else if (!Object.hasOwn(all, path)) all[path] = [part];
          }
        }
    }
  }
  return all;
}
