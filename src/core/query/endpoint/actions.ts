import { createHash } from 'node:crypto';
import { ApiError } from '../answer/api-error.js';
import type { Action, Call } from './endpoint.js';
import type { HelpParams } from '../help/help.js';
import { message } from '../answer/messages.js';
import type { compileParaminfo } from '../description/module-descriptions.js';
import type { ModuleNode } from '../description/module-tree.js';
import type { QueryModule } from '../modules/modules.js';
import type { QueryEnvironment, QueryOptions } from '../options.js';
import type { ParaminfoParams } from '../description/paraminfo.js';
import type { ModuleParser } from '../parameters/parse.js';
import { type QueryRun, runQuery } from '../modules/query-action.js';
import type { QueryParams } from '../modules/query-parameters.js';
import { toVersion1 } from '../answer/result-format.js';
import type { Site } from '../site/site.js';

interface QueryParts {
  readonly modules: ReadonlyMap<string, QueryModule>;
  readonly site: Site;
  readonly options: QueryOptions;
  readonly environment: QueryEnvironment;
}

/** `action=query` */
export function queryAction(parser: ModuleParser, { modules, site, options, environment }: QueryParts): Action {
  return {
    parser,
    async run(call) {
      const run: QueryRun = {
        parameters: call.parameters,
        parsing: call.parsing,
        caller: call.caller,
        address: call.request.ip,
        isolated: call.isolated,
        site,
        clock: environment.clock,
        deadline: call.deadline,
        share: call.share,
        room: call.room,
        missing: options.missing ?? 'empty',
        onError: environment.onError,
        // The parser has read them by the very descriptor that this type is written after.
        params: call.params as unknown as QueryParams,
        modules,
        addressed: call.addressed,
        resolver: options.pages ?? (() => []),
        version: call.style.version,
        onSelect: ({ use }) => call.parsers.push(use.parser),
      };
      if (options.private === true && !call.caller && reads(run)) {
        throw new ApiError('readapidenied', message('apierror-readapidenied'), { module: 'main' });
      }
      return { data: await runQuery(run) };
    },
  };
}

/** Whether the request would show content. A few modules only tell callers how to become somebody. */
function reads({ params, modules, addressed }: QueryRun): boolean {
  const { titles, pageids, revids, generator, prop = [], list = [], meta = [] } = params;
  const names = [...prop, ...list, ...meta, ...(addressed ? [addressed.name] : [])];
  if (names.length === 0 || [titles, pageids, revids, generator].some((source) => source !== undefined)) return true;
  return names.some((name) => modules.get(name)?.descriptor.readrights !== false);
}

/** `action=paraminfo` */
export function paraminfoAction(parser: ModuleParser, tree: ModuleNode, endpoint: string): Action {
  let describe: ReturnType<typeof compileParaminfo> | undefined;
  return {
    parser,
    async run({ params, parsing, style }: Call) {
      // Loaded here, like the help: what modules and parameters are for is a tenth of all our code.
      describe ??= (await import('../description/module-descriptions.js')).compileParaminfo(tree);
      const { paraminfo, warnings } = describe(params as unknown as ParaminfoParams, {
        highLimits: parsing.highLimits,
        endpoint,
      });
      for (const text of warnings) parsing.warnings.add('paraminfo', 'badmodule', text);
      return { data: { paraminfo: style.version === 1 ? toVersion1(paraminfo) : paraminfo } };
    },
  };
}

/** `action=help`: a page for people, or with `wrap` its content as data. */
export function helpAction(parser: ModuleParser, tree: ModuleNode, site: Site): Action {
  return {
    parser,
    async run({ params }: Call) {
      // Loaded here: a tenth of all our code is text that most servers are never asked for.
      const { HELP_STYLE, renderHelp } = await import('../help/help.js');
      const styleHash = createHash('sha256').update(HELP_STYLE).digest('base64');
      const { page, content } = renderHelp(tree, site, params as unknown as HelpParams);
      if (params['wrap'] === true) return { data: { help: { mime: 'text/html', help: content } } };
      return {
        page: {
          status: 200,
          headers: {
            'content-type': 'text/html; charset=utf-8',
            'cache-control': 'private, must-revalidate, max-age=0',
            'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
            'x-content-type-options': 'nosniff',
          },
          body: page,
        },
      };
    },
  };
}
