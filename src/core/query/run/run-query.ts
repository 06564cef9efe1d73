import { ApiError } from '../answer/api-error.js';
import { message } from '../answer/messages.js';
import type { MutableItem } from '../answer/result-format.js';
import type { GeneratedPage } from '../descriptor/page-model.js';
import {
  continueFrom,
  continueParams,
  type Participant,
  type Progress,
  rawContinuation,
  readProgress,
} from './continuation.js';
import { generatedPages, readListResult, readMetaResult, readPropResult } from './handler-result.js';
import type { ContinueValue, ListResult } from './handlers.js';
import { runInOrder } from './in-order.js';
import { ResolvedPages, resolvePages } from './page-set.js';
import type { QueryModule } from './query-modules.js';
import type { QueryParams } from './query-parameters.js';
import { emptyResult, QueryResult } from './query-result.js';
import type { QueryRun } from './query-run.js';
import { requestedLimit, checkPages, runModule, select, type Selected } from './run-module.js';
import { resolveUserIds } from './user-ids.js';

/** Shared by requests without pages. It is never modified. */
const NO_PAGES = new ResolvedPages();

interface Plan {
  readonly generator: Selected | undefined;
  /** Prop modules first, then lists, then meta modules. */
  readonly selected: readonly Selected[];
  readonly progress: Progress;
}

/** Answers `action=query`. No handler runs before all parameters are validated. */
export const runQuery = async (given: QueryRun): Promise<MutableItem> => {
  const plan = planOf(given);
  charge(given, plan);
  const run = withinRows(given, plan);
  if (run.context.userIds)
    await resolveUserIds(run, plan.generator ? [plan.generator, ...plan.selected] : plan.selected);
  const answer = new QueryResult(run.context.style.version, run.budget.maxLength);
  const { progress } = plan;
  const participants: Participant[] = [];
  let pages = NO_PAGES;
  if (!progress.generatorDone && (plan.generator || namesPages(run.params))) {
    const found = await findPages(run, plan);
    pages = found.pages;
    if (found.generator) participants.push(found.generator);
    if (plan.generator) answer.addGenerator(plan.generator.module, plan.generator.params);
  }
  run.onPages?.(pages);
  const selected: Selected[] = [];
  for (const one of plan.selected) selected.push(await checkPages(one, pages, run));
  if (pages !== NO_PAGES) answer.addPages(pages, run.params.indexpageids);
  participants.push(...(await runAll(run, { ...plan, selected }, pages, answer)));
  if (answer.isTruncated) {
    run.context.warnings.add(
      'result',
      'truncatedresult',
      message('apiwarn-truncatedresult', { num: run.budget.maxLength ?? 0 }),
    );
  }
  return envelope(run, answer, participants);
};

/** Counts what the request costs. A request that is repeated because its response was too long is counted once. */
const charge = ({ service: { limiter }, context, params, budget }: QueryRun, { generator, selected }: Plan): void => {
  if (!limiter || budget.limitFactor < 1) return;
  const { titles = [], pageids = [], revids = [] } = params;
  let cost = titles.length + pageids.length + revids.length + (generator ? Math.max(1, generator.limit) : 0);
  for (const { limit } of selected) cost += Math.max(1, limit);
  limiter.take('cost', cost, context.request, context.caller);
};

/** An export reads each page so many times. */
const EXPORT_READS = 4;

/** The run with lower limits, if its modules could return too many results together. A module alone is not cut. */
const withinRows = (run: QueryRun, { generator, selected }: Plan): QueryRun => {
  const { service, context, params, budget, onPages } = run;
  const pages = generator?.limit ?? 0;
  let rows = params.export ? pages * (1 + EXPORT_READS) : pages;
  // Every prop module describes the pages of a generator.
  for (const { limit, module } of selected) rows += module.group === 'prop' ? Math.max(limit, pages) : limit;
  if (rows <= budget.rows || (!generator && selected.length === 1)) return run;
  const lower = { ...budget, limitFactor: (budget.limitFactor * budget.rows) / rows };
  return { service, context, params, budget: lower, onPages };
};

const namesPages = ({ titles, pageids, revids }: QueryParams): boolean =>
  titles !== undefined || pageids !== undefined || revids !== undefined;

const planOf = (run: QueryRun): Plan => {
  const progress = run.params.rawcontinue ? readProgress(undefined) : readProgress(run.params.continue);
  refuseSeveralSources(run.params);
  const generator = generatorOf(run);
  const selected: Selected[] = [];
  const { addressed } = run.context;
  for (const group of GROUPS) {
    for (const name of run.params[group] ?? []) {
      const module = run.service.modules.get(name);
      if (module && module !== addressed) selected.push(select(module, module.parser, run));
    }
    if (addressed?.group === group) selected.push(select(addressed, addressed.parser, run));
  }
  return { generator, selected, progress };
};

const GROUPS = ['prop', 'list', 'meta'] as const;

const refuseSeveralSources = (params: QueryParams): void => {
  let first: string | undefined;
  for (const name of ['titles', 'pageids', 'revids'] as const) {
    if (params[name] === undefined) continue;
    if (first !== undefined) {
      throw new ApiError('multisource', message('apierror-invalidparammix-cannotusewith', name, first), {
        module: 'query',
      });
    }
    first = name;
  }
};

const generatorOf = (run: QueryRun): Selected | undefined => {
  const { generator } = run.params;
  if (generator === undefined) return undefined;
  const module = run.service.modules.get(generator);
  if (!module)
    throw new ApiError('badgenerator', message('apierror-badgenerator-unknown', generator), { module: 'query' });
  if (!module.generator) {
    throw new ApiError('badgenerator', message('apierror-badgenerator-notgenerator', generator), { module: 'query' });
  }
  return select(module, module.generator, run);
};

interface FoundPages {
  readonly pages: ResolvedPages;
  readonly generator?: Participant;
}

const findPages = async (run: QueryRun, { generator, progress }: Plan): Promise<FoundPages> => {
  const needsFirst = !generator || generator.module.group === 'prop';
  const first = needsFirst ? await firstPages(run) : NO_PAGES;
  if (!generator) return { pages: first };
  const checked = await checkPages(generator, first, run);
  const result = checked.isSettled ? NOTHING_GENERATED : await generate(run, checked, first);
  const more = paramsOf(generator, result.continue);
  const start = paramsOf(generator, result.start);
  const { generatorParams } = progress;
  const current =
    generatorParams.length > 0 || !start
      ? Object.fromEntries(generatorParams.map((name) => [name, run.context.parameters.get(name) ?? '']))
      : start;
  const participant: Participant = { name: generator.module.name, kind: 'generator', more, current, start };
  const pages = await resolve(run, { generated: result.pages, redirects: run.params.redirects });
  // Normalizations and redirects of the generator's input are reported too.
  pages.normalized.unshift(...first.normalized);
  pages.redirects.unshift(...first.redirects);
  return { pages, generator: participant };
};

interface Generated {
  readonly pages: readonly GeneratedPage[];
  readonly continue?: ContinueValue | undefined;
  readonly start?: ContinueValue | undefined;
}

const NOTHING_GENERATED: Generated = { pages: [] };

const firstPages = async (run: QueryRun): Promise<ResolvedPages> => {
  const {
    params,
    context: { warnings, parameters },
  } = run;
  const { titles, pageids, revids } = params;
  if (!namesPages(params)) return NO_PAGES;
  if (revids !== undefined && params.redirects) {
    warnings.add('query', 'redirectsandrevids', message('apiwarn-redirectsandrevids'));
  }
  const redirects = params.redirects && revids === undefined;
  const pages = await resolve(run, { titles, pageids, revids, redirects });
  if (parameters.malformed('titles') || pages.normalized.some(({ fromencoded }) => fromencoded === true)) {
    warnings.add('query', 'badutf8', message('apiwarn-badutf8', { plaintext: 'titles' }));
  }
  return pages;
};

type ResolveInput = Omit<Parameters<typeof resolvePages>[0], 'iwurl'>;

const resolve = async (
  { service, context: { caller, deadline }, params }: QueryRun,
  input: ResolveInput,
): Promise<ResolvedPages> => {
  const { site, options } = service;
  const context = {
    site,
    caller,
    resolver: options.resolvePages,
    get signal() {
      return deadline.signal;
    },
  };
  return deadline.waitFor(resolvePages({ ...input, iwurl: params.iwurl }, context));
};

const generate = async (run: QueryRun, generator: Selected, first: ResolvedPages): Promise<Generated> => {
  const { descriptor } = generator.module;
  if (generator.module.group === 'list') {
    const result = await runModule(generator, first, readListResult, run);
    if (!result) return NOTHING_GENERATED;
    const { offset } = generator.params;
    const before = typeof offset === 'number' ? offset : 0;
    return { ...result, pages: generatedPages(cutToLimit(result, generator, run), descriptor, before) };
  }
  const result = await runModule(generator, first, readPropResult, run);
  const pages: GeneratedPage[] = [];
  for (const [id, data] of result?.pages ?? []) {
    const list = readListResult(data);
    if (!list) continue;
    if (descriptor.yields) pages.push(...ownPages(list, id, first, descriptor.yields));
    else pages.push(...generatedPages(list, descriptor));
  }
  return { pages, continue: result?.continue };
};

/** The page of a list of revisions: once for each revision, or once for all. */
const ownPages = (
  { items }: ListResult,
  id: number,
  { existing, missing }: ResolvedPages,
  yields: 'revisions' | 'titles',
): readonly GeneratedPage[] => {
  const page = [...existing, ...missing].find((one) => one.id === id);
  if (!page || items.length === 0) return [];
  const { title, pageid } = page;
  const known = pageid === undefined ? { title } : { title, pageid };
  if (yields === 'titles') return [known];
  return items.map(({ revid }) => (typeof revid === 'number' ? { ...known, revid } : known));
};

type More = Participant['more'];

/** The outcome of a module: its continuation, and a function that adds its data to the response. */
interface Outcome {
  readonly more: More;
  place?(answer: QueryResult): void;
}

const NOTHING: Outcome = { more: undefined };
const FINISHED = Promise.resolve(NOTHING);

/** Runs the modules in parallel. Data and errors are in the order of the request. */
const runAll = async (
  run: QueryRun,
  { selected, progress }: Plan,
  pages: ResolvedPages,
  answer: QueryResult,
): Promise<readonly Participant[]> => {
  const outcomes = await runInOrder(selected, (one) => runOne(run, one, pages, progress));
  return outcomes.map(({ place, more }, index) => {
    const module = selected[index]?.module;
    place?.(answer);
    return { name: module?.name ?? '', kind: module?.group === 'prop' ? 'prop' : 'other', more };
  });
};

const runOne = (
  run: QueryRun,
  selected: Selected,
  pages: ResolvedPages,
  { finished, generatorDone }: Progress,
): Promise<Outcome> => {
  const { name, group } = selected.module;
  if (finished.has(name)) return FINISHED;
  if (group === 'list') return runList(run, selected);
  if (group === 'meta') return runMeta(run, selected);
  return generatorDone || !hasWork(selected, pages) ? FINISHED : runProp(run, selected, pages);
};

const hasWork = ({ module: { descriptor }, isSettled }: Selected, pages: ResolvedPages): boolean => {
  const { alsoFor } = descriptor;
  if (isSettled) return false;
  if (alsoFor === 'none' || pages.existing.length > 0) return true;
  if (alsoFor !== undefined && pages.missing.length > 0) return true;
  return alsoFor === 'special' ? pages.special.length > 0 : alsoFor === 'revisions' && pages.unknownRevids.length > 0;
};

const runProp = async (run: QueryRun, selected: Selected, pages: ResolvedPages): Promise<Outcome> => {
  const result = await runModule(selected, pages, readPropResult, run);
  if (!result) return NOTHING;
  warnWithoutDiff(selected, result.pages.values(), run);
  return { more: paramsOf(selected, result.continue), place: (answer) => answer.addProp(selected.module, result) };
};

const runList = async (run: QueryRun, selected: Selected): Promise<Outcome> => {
  const { module, params } = selected;
  const result = selected.isSettled
    ? emptyResult(module).list
    : ((await runModule(selected, undefined, readListResult, run)) ?? withoutHandler(module)?.list);
  if (!result) return NOTHING;
  const shown = cutToLimit(result, selected, run);
  warnWithoutDiff(
    selected,
    shown.items.map(({ revisions }) => revisions),
    run,
  );
  return { more: paramsOf(selected, result.continue), place: (answer) => answer.addList(module, params, shown) };
};

const runMeta = async (run: QueryRun, selected: Selected): Promise<Outcome> => {
  const { module } = selected;
  const result = selected.isSettled
    ? emptyResult(module).meta
    : ((await runModule(selected, undefined, readMetaResult, run)) ?? withoutHandler(module)?.meta);
  if (!result) return NOTHING;
  return { more: paramsOf(selected, result.continue), place: (answer) => answer.addMeta(module, result) };
};

/** Warns if the request has `diffto`, but the handler does not compare revisions. */
const warnWithoutDiff = (
  { module, parser, params }: Selected,
  lists: Iterable<unknown>,
  { context }: QueryRun,
): void => {
  const asked = ['diffto', 'difftotext'].find((name) => params[name] !== undefined);
  if (asked === undefined || !Object.hasOwn(module.descriptor.parameters, 'difftotext')) return;
  const revisions = [...lists].flatMap((list) => readListResult(list)?.items ?? []);
  if (revisions.length === 0 || revisions.some((revision) => 'diff' in revision)) return;
  context.warnings.add(module.path, 'nodiff', message('apiwarn-nodiff', parser.wirePrefix + asked));
};

/** Replaces the data of a module without a handler. */
const withoutHandler = (module: QueryModule) => (module.handler ? undefined : emptyResult(module));

/** Cuts a list to its limit. `onError` is called if a handler returns more items. */
const cutToLimit = (result: ListResult, selected: Selected, run: QueryRun): ListResult => {
  const { module } = selected;
  const limit = requestedLimit(selected, run);
  if (limit === 0 || result.items.length <= limit) return result;
  run.service.host.onError(
    new RangeError(
      `The handler of the query module "${module.name}" returned ${result.items.length} items, but the limit is ${limit}.`,
    ),
  );
  return { ...result, items: result.items.slice(0, limit) };
};

const paramsOf = ({ module, parser }: Selected, value: ContinueValue | undefined): More =>
  value === undefined ? undefined : continueParams(value, parser.wirePrefix, module.continueParameter ?? 'continue');

const envelope = (run: QueryRun, answer: QueryResult, participants: readonly Participant[]): MutableItem => {
  const result: MutableItem = {};
  if (run.params.rawcontinue) {
    const raw = rawContinuation(participants);
    if (raw) result['query-continue'] = raw;
    const begun = participants.find(({ start }) => start);
    if (begun) result['query-noncontinue'] = { [begun.name]: begun.start };
  } else {
    const { next, batchcomplete } = continueFrom(participants);
    if (batchcomplete) result['batchcomplete'] = run.context.style.version === 1 ? '' : true;
    if (next) result['continue'] = next;
  }
  const { limits } = run.context;
  if (limits) result['limits'] = Object.fromEntries(limits);
  if (!answer.isEmpty) result['query'] = answer.query;
  return Object.assign(result, answer.top);
};
