import type { ModuleDescriptor, ParamDescriptor } from '../descriptor/descriptor.js';
import type { Site } from '../site/site.js';

type Values = Readonly<Record<NonNullable<ParamDescriptor['siteValues']>, readonly string[]>>;

const valuesOf = (site: Site): Values => ({
  groups: Object.keys(site.groups),
  rights: site.rights,
  assignedRights: site.rights.filter((right) => !site.implicitRights.includes(right)),
  contentModels: site.contentModels,
});

/** Adapts modules to a site: its groups, rights, content models, main page and language replace the declared ones. */
export const forSite = <M extends ModuleDescriptor>(modules: readonly M[], site: Site): readonly M[] => {
  const values = valuesOf(site);
  const adapt = (parameter: ParamDescriptor): ParamDescriptor => {
    const { siteValues, siteDefault } = parameter;
    return {
      ...parameter,
      ...(siteValues && { type: values[siteValues] }),
      ...(siteDefault && { default: site[siteDefault] }),
    };
  };
  return modules.map((module) => ({
    ...module,
    parameters: Object.fromEntries(Object.entries(module.parameters).map(([name, p]) => [name, adapt(p)])),
  }));
};
