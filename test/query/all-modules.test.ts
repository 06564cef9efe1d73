import { describe, expect, test } from 'vitest';
import {
  catalogue,
  type ModuleDescriptor,
  type ModuleHandlers,
  type ModuleName,
  type ParamDescriptor,
} from '../../src/core/query/index.js';
import { hostFor } from '../hosts.js';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import type { Json } from './fixture.js';
import { CALLERS, type CallerName, startJoined } from './joined.js';

const modules: readonly ModuleDescriptor[] = Object.values(catalogue);
const seen = new Map<string, { params: Readonly<Record<string, unknown>>; limit: number }>();

/** Every module has a handler that notes what it was given. */
const handlers = Object.fromEntries(
  modules.map(({ name, group }) => [
    name,
    (request: { params: Readonly<Record<string, unknown>>; limit: number }) => {
      seen.set(name, { params: { ...request.params }, limit: request.limit });
      return group === 'list' ? [] : group === 'prop' ? { pages: {} } : { data: {} };
    },
  ]),
) as ModuleHandlers;

const HISTORY = 'excludeuser expandtemplates generatexml parse diffto difftotext difftotextpst contentformat';

/** Parameters that exclude others of the same module. */
const APART: { readonly [N in ModuleName]?: string } = {
  alldeletedrevisions: `from to prefix ${HISTORY}`,
  allfileusages: 'unique',
  allimages: 'from to prefix filterbots',
  alllinks: 'unique',
  allredirects: 'unique',
  allrevisions: HISTORY,
  alltransclusions: 'unique',
  allusers: 'excludegroup excludenamed',
  backlinks: 'pageid',
  blocks: 'ip',
  categorymembers: 'pageid',
  contributors: 'excludegroup rights excluderights',
  deletedrevisions: HISTORY,
  deletedrevs: 'from to prefix excludeuser',
  embeddedin: 'pageid',
  extracts: 'sentences',
  imageusage: 'pageid',
  iwlinks: 'url',
  langlinks: 'url',
  linterrors: 'title',
  logevents: 'prefix namespace',
  random: 'redirect',
  recentchanges: 'excludeuser',
  revisions: `startid endid ${HISTORY}`,
  usercontribs: 'userids userprefix iprange',
  users: 'userids',
  watchlist: 'excludeuser owner token',
  watchlistraw: 'owner token',
};

/** Texts that have to be something in particular. */
const PARTICULAR: Readonly<Record<string, string>> = {
  'categorymembers.title': 'Category:Fruit',
  'imageusage.title': 'File:Apple.png',
  'allimages.sha1': 'a'.repeat(40),
  'allimages.sha1base36': 'a'.repeat(31),
  'filearchive.sha1': 'a'.repeat(40),
  'filearchive.sha1base36': 'a'.repeat(31),
  'logevents.action': 'thanks/thank',
  'recentchanges.show': 'minor|bot|patrolled',
  'stashimageinfo.filekey': 'a.png',
  'categories.categories': 'Category:Fruit|Category:Tree',
  'images.images': 'File:Apple.png',
};

function valueOf({ type, multi, min, subtypes, deprecatedvalues = [] }: ParamDescriptor): string {
  if (typeof type !== 'string') {
    const values = type.filter((value) => !deprecatedvalues.includes(value) && !(multi && value.startsWith('!')));
    return multi ? values.filter((value) => value !== '').join('|') : (values.at(-1) ?? '');
  }
  const one = {
    string: 'Fruit',
    integer: String(Math.max(min ?? 7, 7)),
    limit: 'max',
    boolean: '',
    timestamp: '2024-01-02T03:04:05Z',
    user: subtypes && !subtypes.includes('name') ? '1.2.3.4' : 'Alice',
    namespace: '0',
    title: 'Apple',
  }[type];
  return multi ? `${one}|${type === 'integer' || type === 'namespace' ? '1' : `${one} two`}` : one;
}

/** Every parameter of a module with a value, except those that exclude others. */
function everythingOf({ name, prefix, parameters }: ModuleDescriptor, before = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(
    namesOf({ name, parameters }).map((parameter) => [
      `${before}${prefix}${filled(parameter)}`,
      PARTICULAR[`${name}.${parameter}`] ?? valueOf(parameters[parameter] ?? { type: 'string' }),
    ]),
  );
}

function namesOf({ name, parameters }: Pick<ModuleDescriptor, 'name' | 'parameters'>): readonly string[] {
  const apart = (APART as Readonly<Record<string, string>>)[name]?.split(' ') ?? [];
  return Object.keys(parameters).filter((parameter) => !apart.includes(parameter));
}

const filled = (parameter: string): string => parameter.replace('{slot}', 'main');

type Refusal = readonly [anonymous: string, user?: string];

/** The errors of restricted modules for anonymous callers and ordinary users. */
const REFUSED: { readonly [N in ModuleName]?: Refusal } = {
  alldeletedrevisions: ['permissiondenied', 'permissiondenied'],
  allusers: ['toomanyvalues', 'toomanyvalues'],
  codexicons: ['toomanyvalues', 'toomanyvalues'],
  deletedrevisions: ['permissiondenied', 'permissiondenied'],
  deletedrevs: ['permissiondenied', 'permissiondenied'],
  filearchive: ['permissiondenied', 'permissiondenied'],
  mystashedfiles: ['stashnotloggedin'],
  notifications: ['login-required'],
  recentchanges: ['permissiondenied', 'permissiondenied'],
  stashimageinfo: ['notloggedin'],
  unreadnotificationpages: ['login-required'],
  usercontribs: ['permissiondenied', 'permissiondenied'],
  watchlist: ['notloggedin', 'patrol'],
  watchlistraw: ['notloggedin'],
};

type Maxima = readonly [max: number, highmax: number];
const HALVED: Maxima = [250, 2500];
const WITH_CONTENT: Maxima = [50, 500];

/** The greatest limits where the request makes them smaller than the descriptor says. */
const SMALLER: { readonly [N in ModuleName]?: Maxima } = {
  alldeletedrevisions: WITH_CONTENT,
  allrevisions: WITH_CONTENT,
  backlinks: HALVED,
  deletedrevisions: WITH_CONTENT,
  deletedrevs: WITH_CONTENT,
  imageusage: HALVED,
  revisions: WITH_CONTENT,
};

/** The refusal or the limit that each of {@link CALLERS} gets. */
function outcomesOf(module: ModuleDescriptor): readonly (string | number)[] {
  const name = module.name as ModuleName; // It is one of the catalogue's.
  const { max = 0, highmax = max } = module.parameters['limit'] ?? {};
  const [ordinary, raised] = SMALLER[name] ?? [max, highmax];
  const [anonymous, user] = REFUSED[name] ?? [];
  return [anonymous ?? ordinary, user ?? ordinary, raised];
}

describe.each(hostFor(import.meta.url))('on $name, a request with every parameter of a module', (host) => {
  const joined = useStarted(() =>
    startJoined(host, {
      modules: handlers,
      resolvePages: ({ titles: [title = 'Apple'] }) => [{ pageid: 1, ns: title.startsWith('File:') ? 6 : 0, title }],
    }),
  );

  const ask = (module: ModuleDescriptor, as: CallerName): Promise<Json> =>
    joined.get(
      {
        action: 'query',
        formatversion: '2',
        errorformat: 'plaintext',
        [module.group]: module.name,
        ...(module.group === 'prop' || module.name === 'deletedrevs' ? { titles: titleFor(module.name) } : {}),
        ...everythingOf(module),
      },
      as,
    );

  test('gets a response from each module', () =>
    everyRow(
      modules.map((module) => [module.name, module] as const),
      async ([name, module]) => {
        const { parameters } = module;
        const json = await ask(module, 'robot');
        expect(json['errors']).toBeUndefined();
        expect(codesOf(json, 'warnings').filter((code) => !EXPECTED_WARNINGS.has(code))).toEqual([]);
        expect(Object.keys(seen.get(name)?.params ?? {}).sort()).toEqual(
          [...new Set([...namesOf(module).map(filled), ...alwaysThere(parameters)])].sort(),
        );
        if (parameters['limit']?.max !== undefined) expect(seen.get(name)?.limit).toBeGreaterThan(0);
        expect(joined.told.filter((one) => one instanceof Error)).toEqual([]);
      },
    ));

  test.each(CALLERS)('%s gets the limits and errors of its token', async (as) => {
    const outcomes: Record<string, unknown> = {};
    for (const module of modules) {
      seen.delete(module.name);
      const json = await ask(module, as);
      outcomes[module.name] = codesOf(json, 'errors')[0] ?? seen.get(module.name)?.limit;
    }
    const caller = CALLERS.indexOf(as);
    expect(outcomes).toEqual(Object.fromEntries(modules.map((module) => [module.name, outcomesOf(module)[caller]])));
  });

  test('works for each module as a generator', async () => {
    for (const module of modules.filter(({ generator }) => generator)) {
      const json = await joined.get(
        { action: 'query', generator: module.name, titles: 'Apple', ...everythingOf(module, 'g') },
        'robot',
      );
      expect([module.name, json['error']]).toEqual([module.name, undefined]);
    }
  });
});

/** Some modules have nothing to say but about files. */
const titleFor = (name: string): string =>
  ['duplicatefiles', 'fileusage', 'imageinfo'].includes(name) ? 'File:Apple.png' : 'Apple';

const EXPECTED_WARNINGS = new Set(['deprecation', 'deprecation-help', 'outofrange']);

const codesOf = (json: Json, key: 'errors' | 'warnings'): readonly string[] =>
  [...((json[key] as unknown as readonly { readonly code: string }[] | undefined) ?? [])].map(({ code }) => code);

/** Names that a handler finds although the request does not have them. */
function alwaysThere(parameters: ModuleDescriptor['parameters']): readonly string[] {
  return Object.entries(parameters)
    .filter(
      ([, { type, default: preset, templatevars }]) => !templatevars && (type === 'boolean' || preset !== undefined),
    )
    .map(([name]) => name);
}
