import { defined } from '../../base/defined.js';
import { directionOf } from '../../base/direction.js';
import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { ParamsOf } from '../catalogue/index.js';
import { isoSeconds } from '../parameters/types/timestamp.js';
import { SKINS } from '../reader/descriptors.js';
import type { MetaHandler, ModuleRequest } from '../run/handlers.js';
import { pageAddress } from '../site/page-address.js';
import { GENERATOR, type Site } from '../site/site.js';
import { TEMPORARY } from '../site/user-name.js';
import { PROTOCOLS } from '../site/value-sets.js';
import { upperFirst } from '../text/first-letter.js';
import type { Language } from './languageinfo.js';

const FILE_EXTENSIONS = ['png', 'gif', 'jpg', 'jpeg', 'webp'];

type Params = ParamsOf<'siteinfo'>;
type Prop = Params['prop'][number];

/** What the options say beside those of the site. */
export interface SiteinfoOptions {
  readonly languages: Readonly<Record<string, Language>> | undefined;
  /** The folder of MediaWiki's programs, in URLs. */
  readonly scriptPath: string;
}

interface SiteFacts {
  readonly site: Site;
  readonly params: Params;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly languages: Readonly<Record<string, Language>>;
  readonly scriptPath: string;
}

/** Answers `meta=siteinfo` from the site options. Features that this package does not have are empty. */
export const siteinfo =
  ({ languages = {}, scriptPath }: SiteinfoOptions): MetaHandler<Params> =>
  ({ params, site, clock }: ModuleRequest<Params>) => {
    const facts: SiteFacts = { site, params, now: clock(), languages, scriptPath };
    return { data: Object.fromEntries(params.prop.map((prop) => [prop, FACTS[prop](facts)])) };
  };

const general = ({ site, now, scriptPath }: SiteFacts) => {
  const { server, articlePath } = site;
  return {
    mainpage: site.mainPage,
    base: pageAddress(site.mainPage, site),
    sitename: site.name,
    mainpageisdomainroot: false,
    generator: GENERATOR,
    case: site.namespace(0)?.case ?? 'first-letter',
    lang: site.language,
    fallback: [],
    rtl: directionOf(site.language) === 'rtl',
    fallback8bitEncoding: 'windows-1252',
    readonly: false,
    writeapi: false,
    langconversion: false,
    linkconversion: false,
    titleconversion: false,
    linkprefixcharset: '',
    linkprefix: '',
    linktrail: '/^([a-z]+)(.*)$/sD',
    legaltitlechars: ' %!"$&\'()*,\\-.\\/0-9:;=?@A-Z\\\\^_`a-z~\\x80-\\xFF+',
    invalidusernamechars: '@:>=',
    fixarabicunicode: true,
    fixmalayalamunicode: true,
    maxarticlesize: 2_097_152,
    timezone: 'UTC',
    timeoffset: 0,
    time: isoSeconds(now / 1000),
    articlepath: articlePath,
    scriptpath: scriptPath,
    script: `${scriptPath}/index.php`,
    variantarticlepath: false,
    server,
    servername: server.replace(/^[a-z]*:?\/\//, '').replace(/[:/].*$/s, ''),
    wikiid: site.id,
    misermode: false,
    uploadsenabled: false,
    maxuploadsize: 0,
    minuploadchunksize: 0,
    thumblimits: {},
    imagelimits: {},
    centralidlookupprovider: 'local',
    interwikimagic: true,
    magiclinks: {},
    categorycollation: 'uppercase',
    nofollowlinks: true,
    externallinktarget: false,
  };
};

const interwikimap = ({ site, params: { filteriw } }: SiteFacts) =>
  [...site.interwiki]
    .filter(([, { local }]) => filteriw === undefined || (filteriw === 'local') === (local ?? false))
    .map(([prefix, { url, local, language }]) => ({
      prefix,
      local: local ?? false,
      ...defined({ language }),
      url,
      protorel: url.startsWith('//'),
    }));

const usergroups = ({ site, params: { numberingroup } }: SiteFacts) =>
  Object.entries(site.groups).map(([name, rights]) => ({
    name,
    rights,
    ...(numberingroup ? { number: 0 } : {}),
  }));

const FACTS: { readonly [P in Prop]: (facts: SiteFacts) => unknown } = {
  general,
  namespaces: ({ site }) => Object.fromEntries(site.namespaces.map(describeNamespace)),
  namespacealiases: ({ site }) => site.namespaces.flatMap(({ id, aliases }) => aliases.map((alias) => ({ id, alias }))),
  interwikimap,
  statistics: ({ site }) => ({ ...site.statistics }),
  usergroups,
  rightsinfo: ({ site }) => ({ ...site.rightsInfo }),
  languages: ({ languages }) =>
    Object.entries(languages).map(([code, { bcp47, autonym }]) => ({ code, bcp47: bcp47 ?? code, name: autonym })),
  fileextensions: () => FILE_EXTENSIONS.map((ext) => ({ ext })),
  protocols: () => PROTOCOLS.filter((protocol) => protocol !== '').map((protocol) => `${protocol}:`),
  restrictions: () => ({
    types: ['create', 'edit', 'move', 'upload'],
    levels: ['', 'autoconfirmed', 'sysop'],
    cascadinglevels: ['sysop'],
    semiprotectedlevels: ['autoconfirmed'],
  }),
  dbrepllag: ({ site, params: { showalldb } }) => {
    if (showalldb) throw new ApiError('includeAllDenied', message('apierror-siteinfo-includealldenied'));
    return [{ host: site.id, lag: -1 }];
  },
  autocreatetempuser: () => ({ enabled: true, matchPatterns: [`${TEMPORARY}$1`] }),
  // Programs that copy a site look for one that is the default.
  skins: () => SKINS.map((code) => ({ code, name: upperFirst(code, 'en'), default: true, unusable: false })),
  magicwords: () => [],
  specialpagealiases: () => [],
  extensions: () => [],
  libraries: () => [],
  clientlibraries: () => [],
  extensiontags: () => [],
  functionhooks: () => [],
  showhooks: () => [],
  variables: () => [],
  doubleunderscores: () => [],
  copyuploaddomains: () => [],
  sbom: () => ({}),
  defaultoptions: () => ({}),
  uploaddialog: () => ({}),
  languagevariants: () => ({}),
  autopromote: () => ({}),
  autopromoteonce: () => ({}),
};

const describeNamespace = (namespace: Site['namespaces'][number]): [string, object] => {
  const { id, name, canonical, subpages, content, nonincludable, defaultContentModel } = namespace;
  return [
    String(id),
    {
      id,
      case: namespace.case,
      name,
      subpages,
      ...defined({ canonical }),
      content,
      nonincludable,
      ...defined({ defaultcontentmodel: defaultContentModel }),
    },
  ];
};
