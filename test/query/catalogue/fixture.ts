import { FORMATS } from '../../../src/core/query/answer/print.js';
import { forSite } from '../../../src/core/query/catalogue/for-site.js';
import { catalogue } from '../../../src/core/query/catalogue/index.js';
import {
  helpModule,
  paraminfoModule,
  type ParaminfoParams,
} from '../../../src/core/query/describe/describing-actions.js';
import { buildTree, type ModuleNode } from '../../../src/core/query/describe/module-tree.js';
import { compileParaminfo } from '../../../src/core/query/describe/paraminfo/paraminfo.js';
import type { ModuleDescriptor } from '../../../src/core/query/descriptor/descriptor.js';
import { formatModules, mainModule } from '../../../src/core/query/endpoint/main-parameters.js';
import { compareModule } from '../../../src/core/query/reader/compare/descriptor.js';
import { openSearchModule, parseModule } from '../../../src/core/query/reader/descriptors.js';
import { queryModule } from '../../../src/core/query/run/query-parameters.js';
import { resolveSite, type SiteOptions } from '../../../src/core/query/site/site.js';

export const ENDPOINT = 'https://wiki.example/api';

/** All modules below `main`, as a server has them: the catalogue for a site, and a host's own. */
export const treeFor = (options: SiteOptions = {}, own: readonly ModuleDescriptor[] = []): ModuleNode => {
  const modules = [...forSite<ModuleDescriptor>(Object.values(catalogue), resolveSite(options)), ...own];
  const names = modules.map(({ name }) => name);
  return buildTree({
    main: mainModule,
    actions: [
      queryModule(modules),
      paraminfoModule(names, FORMATS),
      helpModule,
      openSearchModule,
      parseModule,
      compareModule,
    ],
    formats: formatModules,
    modules,
  });
};

export interface ModuleInfo extends Readonly<Record<string, unknown>> {
  readonly parameters: readonly Readonly<Record<string, unknown>>[];
  readonly templatedparameters: readonly Readonly<Record<string, unknown>>[];
}

/** Asks for descriptions, as they are sent; what is not asked for is as if the request did not say it. */
export const ask = (
  tree: ModuleNode,
  params: Partial<ParaminfoParams>,
  highLimits = false,
): { paraminfo: Readonly<Record<string, unknown>>; modules: readonly ModuleInfo[]; warnings: readonly unknown[] } => {
  const answer = compileParaminfo(tree)(
    { helpformat: 'none', mainmodule: false, pagesetmodule: false, ...params },
    { highLimits, endpoint: ENDPOINT },
  );
  const paraminfo = JSON.parse(JSON.stringify(answer.paraminfo));
  return { paraminfo, modules: paraminfo.modules ?? [], warnings: answer.warnings };
};
