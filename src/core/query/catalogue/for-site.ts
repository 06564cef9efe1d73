import type { ModuleDescriptor, ParamDescriptor } from '../descriptor.js';
import { CONTENT_MODELS, CONTRIBUTOR_RIGHTS, GROUPS, RIGHTS } from './value-sets.js';
import type { Site } from '../site/site.js';
import { imageinfo, info, langlinks } from './prop.js';

/** Value sets that a site decides, and what it puts in their place. A set is known by being the very same array. */
const setsOf = (site: Site): ReadonlyMap<ParamDescriptor['type'], readonly string[]> =>
  new Map<ParamDescriptor['type'], readonly string[]>([
    [GROUPS, Object.keys(site.groups)],
    [RIGHTS, site.rights],
    [CONTRIBUTOR_RIGHTS, site.rights.filter((right) => !site.implicitRights.includes(right))],
    [CONTENT_MODELS, site.contentModels],
  ]);

/** Defaults that a site decides, found by the parameter that has them. */
const defaultsOf = (site: Site): ReadonlyMap<ParamDescriptor, string> =>
  new Map<ParamDescriptor, string>([
    [info.parameters.linkcontext, site.mainPage],
    [imageinfo.parameters.extmetadatalanguage, site.language],
    [langlinks.parameters.inlanguagecode, site.language],
  ]);

/**
 * The modules as one site has them: its groups, rights, content models, main page and language in the place of the
 * usual ones. Everything else, a host's own modules included, stays as declared.
 */
export const forSite = <M extends ModuleDescriptor>(modules: readonly M[], site: Site): readonly M[] => {
  const sets = setsOf(site);
  const defaults = defaultsOf(site);
  const adapt = (parameter: ParamDescriptor): ParamDescriptor => {
    const type = sets.get(parameter.type);
    const preset = defaults.get(parameter);
    return {
      ...parameter,
      ...(type === undefined ? {} : { type }),
      ...(preset === undefined ? {} : { default: preset }),
    };
  };
  return modules.map((module) => ({
    ...module,
    parameters: Object.fromEntries(Object.entries(module.parameters).map(([name, p]) => [name, adapt(p)])),
  }));
};
