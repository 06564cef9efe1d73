import { ApiError, apiError, invalidTitle } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import { exactlyOneOf, type ModuleRule, type RuleRequest, valuesOf } from '../descriptor/rule.js';
import type { Site } from '../site/site.js';
import { parseTitle, prefixedTitle } from '../site/title.js';

export const FILE = 6;
export const CATEGORY = 14;

/** The namespaces of a module's titles. */
type Namespaces = (request: RuleRequest) => readonly number[];

/** The namespace in the request. */
export const chosenNamespace: Namespaces = ({ params: { namespace } }) => [
  typeof namespace === 'number' ? namespace : 0,
];

/** The namespaces in the request, or all of the site. */
export const chosenNamespaces: Namespaces = (request) => {
  const chosen = valuesOf(request, 'namespace').filter((id) => typeof id === 'number');
  return chosen.length > 0 ? chosen : request.site.namespaces.map(({ id }) => id).filter((id) => id >= 0);
};

/** The bounds of a list of titles: each must be the start of a title in the namespace. */
export const byTitle =
  (namespaces: number | Namespaces): ModuleRule =>
  (request) => {
    for (const name of ['from', 'to', 'prefix']) {
      const part = request.params[name];
      if (typeof part !== 'string') continue;
      const wanted = typeof namespaces === 'number' ? [namespaces] : namespaces(request);
      if (part.includes('#') || !wanted.every((ns) => isTitlePart(part, ns, request.site))) throw invalidTitle(part);
    }
  };

const isTitlePart = (part: string, ns: number, site: Site): boolean => {
  const title = parseTitle(prefixedTitle(ns, `${part}x`, site), site);
  return title.kind === 'local' && title.ns === ns;
};

/** Parameters that must be complete titles of this site. */
export const wholeTitles = (...names: readonly string[]): ModuleRule => {
  return ({ params, site }) => {
    for (const name of names) {
      const text = params[name];
      if (typeof text === 'string' && parseTitle(text, site).kind !== 'local') throw invalidTitle(text);
    }
  };
};

/** The bounds of a list of pages in all namespaces: complete titles without a fragment. */
export const pageTitles = (...names: readonly string[]): ModuleRule => {
  return ({ params, site }) => {
    for (const name of names) {
      const text = params[name];
      if (typeof text !== 'string') continue;
      const title = parseTitle(text, site);
      if (title.kind !== 'local' || title.text === '' || text.includes('#')) throw invalidTitle(text);
    }
  };
};

/** The page whose backlinks are listed. */
export const linkTarget: readonly ModuleRule[] = [exactlyOneOf('title', 'pageid'), wholeTitles('title')];

export const fileTarget: ModuleRule = ({ params: { title }, site }) => {
  if (typeof title !== 'string') return;
  const parsed = parseTitle(title, site);
  if (parsed.kind !== 'local' || parsed.ns !== FILE) {
    throw new ApiError('bad_image_title', message('apierror-imageusage-badtitle', 'imageusage'));
  }
};

export const categoryTarget: ModuleRule = ({ params: { title }, site }) => {
  if (typeof title !== 'string') return;
  const parsed = parseTitle(title, site);
  if (parsed.kind === 'local' && parsed.ns < 0) {
    throw apiError('pagecannotexist');
  }
  if (parsed.kind !== 'local' || parsed.ns !== CATEGORY) {
    throw apiError('invalidcategory');
  }
};

/** The required namespace of each kind of title, and the warning for other titles. */
const WANTED = {
  title: { ns: undefined, code: 'invalidtitle', key: 'apiwarn-invalidtitle' },
  category: { ns: CATEGORY, code: 'invalidcategory', key: 'apiwarn-invalidcategory' },
  file: { ns: FILE, code: 'notfile', key: 'apiwarn-notfile' },
} as const;

/**
 * Titles to filter by. Invalid ones are ignored with a warning. If none is left in the requested namespaces, the result
 * is empty.
 */
export const linkTitles =
  (parameter: string, kind: keyof typeof WANTED): ModuleRule =>
  (request) => {
    const texts = valuesOf(request, parameter);
    if (texts.length === 0) return undefined;
    const { ns: wanted, code, key } = WANTED[kind];
    const namespaces = valuesOf(request, 'namespace');
    let isAnyLeft = false;
    for (const text of texts) {
      const title = parseTitle(String(text), request.site);
      if (title.kind !== 'local' || (wanted !== undefined && title.ns !== wanted)) {
        request.warn(code, message(key, { plaintext: String(text) }));
      } else if (namespaces.length === 0 || namespaces.includes(title.ns)) isAnyLeft = true;
    }
    return isAnyLeft ? undefined : 'nothing';
  };
