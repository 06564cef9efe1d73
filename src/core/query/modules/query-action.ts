import { ApiError } from '../answer/api-error.js';
import {
  continueFrom,
  continueParams,
  type Participant,
  type Progress,
  rawContinuation,
  readProgress,
} from './continuation.js';
import type { ContinueValue, GeneratedPage, ListResult } from './handlers.js';
import { message } from '../answer/messages.js';
import { generatedPages, readListResult, readMetaResult, readPropResult } from './module-result.js';
import type { ModuleUse, QueryModule } from './modules.js';
import { splitValues } from '../parameters/multi-value.js';
import { type PageResolver, ResolvedPages, resolvePages } from '../pages/page-set.js';
import { Answer, emptyResult } from './placement.js';
import type { QueryParams } from './query-parameters.js';
import type { MutableItem } from '../answer/result-format.js';
import { askedFor, checkPages, type RunContext, runModule, select, type Selected } from './run-module.js';

/** `action=query`: one request with its own parameters read. */
export interface QueryRun extends RunContext {
  readonly params: QueryParams;
  readonly modules: ReadonlyMap<string, QueryModule>;
  /** The module whose own path was called, if any: it takes part as if it had been named. */
  readonly addressed: QueryModule | undefined;
  readonly resolver: PageResolver;
  readonly version: 1 | 2;
  /** The length that the answer must not exceed; data that would make it longer are left out. */
  readonly room: number | undefined;
  /** Called with each module that takes part, before it runs. */
  onSelect(selected: Selected): void;
}

/** For requests about no page. Nobody adds to it. */
const NO_PAGES = new ResolvedPages();

interface Plan {
  readonly generator: Selected | undefined;
  /** Prop modules first, then lists, then meta modules. */
  readonly selected: readonly Selected[];
  readonly progress: Progress;
}

/** Answers `action=query`. Nothing runs before everything has been read and found right. */
export async function runQuery(run: QueryRun): Promise<MutableItem> {
  const plan = planOf(run);
  const answer = new Answer(run.version, run.room);
  const { progress } = plan;
  const participants: Participant[] = [];
  let pages = NO_PAGES;
  if (!progress.generatorDone && (plan.generator || namesPages(run.params))) {
    const found = await findPages(run, plan);
    pages = found.pages;
    if (found.generator) participants.push(found.generator);
  }
  for (const selected of plan.selected) checkPages(selected, pages, run.params.redirects, run);
  if (pages !== NO_PAGES) answer.addPages(pages, run.params.indexpageids);
  await runAll(run, plan, pages, answer, participants);
  if (answer.isTruncated) {
    run.parsing.warnings.add('result', 'truncatedresult', message('apiwarn-truncatedresult', { num: run.room ?? 0 }));
  }
  return envelope(run, answer, participants);
}

const namesPages = ({ titles, pageids, revids }: QueryParams): boolean =>
  titles !== undefined || pageids !== undefined || revids !== undefined;

function planOf(run: QueryRun): Plan {
  const progress = run.params.rawcontinue ? readProgress(undefined) : readProgress(run.params.continue);
  refuseSeveralSources(run.params);
  const generator = generatorOf(run);
  const selected: Selected[] = [];
  for (const group of GROUPS) {
    const { addressed } = run;
    for (const name of run.params[group] ?? []) {
      const module = run.modules.get(name);
      if (module && module !== addressed) selected.push(selectOne(run, module, module.uses.module));
    }
    if (addressed?.group === group) selected.push(selectOne(run, addressed, addressed.uses.module));
  }
  return { generator, selected, progress };
}

const GROUPS = ['prop', 'list', 'meta'] as const;

function selectOne(run: QueryRun, module: QueryModule, use: ModuleUse): Selected {
  const selected = select(module, use, run);
  run.onSelect(selected);
  return selected;
}

function refuseSeveralSources(params: QueryParams): void {
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
}

function generatorOf(run: QueryRun): Selected | undefined {
  const { generator } = run.params;
  if (generator === undefined) return undefined;
  const module = run.modules.get(generator);
  if (!module)
    throw new ApiError('badgenerator', message('apierror-badgenerator-unknown', generator), { module: 'query' });
  if (!module.uses.generator) {
    throw new ApiError('badgenerator', message('apierror-badgenerator-notgenerator', generator), { module: 'query' });
  }
  return selectOne(run, module, module.uses.generator);
}

interface Found {
  readonly pages: ResolvedPages;
  readonly generator?: Participant;
}

async function findPages(run: QueryRun, { generator, progress }: Plan): Promise<Found> {
  const needsFirst = !generator || generator.module.group === 'prop';
  const first = needsFirst ? await firstPages(run) : NO_PAGES;
  if (!generator) return { pages: first };
  checkPages(generator, first, run.params.redirects, run);
  const result = await generate(run, generator, first);
  const more = paramsOf(generator, result.continue);
  const current = Object.fromEntries(progress.generatorParams.map((name) => [name, run.parameters.get(name) ?? '']));
  const participant: Participant = { name: generator.module.name, kind: 'generator', more, current };
  const pages = await resolve(run, { generated: result.pages, redirects: run.params.redirects });
  // What was said about the titles that the generator worked on stays true.
  pages.normalized.unshift(...first.normalized);
  pages.redirects.unshift(...first.redirects);
  return { pages, generator: participant };
}

async function firstPages(run: QueryRun): Promise<ResolvedPages> {
  const { params, parsing, parameters } = run;
  const { pageids, revids } = params;
  if (!namesPages(params)) return NO_PAGES;
  const raw = parameters.get('titles');
  if (revids !== undefined && params.redirects) {
    parsing.warnings.add('query', 'redirectsandrevids', message('apiwarn-redirectsandrevids'));
  }
  return resolve(run, {
    titles: raw === undefined ? [] : splitValues(raw, Number.POSITIVE_INFINITY),
    pageids,
    revids,
    redirects: params.redirects && revids === undefined,
  });
}

type ResolveInput = Omit<Parameters<typeof resolvePages>[0], 'iwurl'>;

async function resolve(run: QueryRun, input: ResolveInput): Promise<ResolvedPages> {
  const { resolver, site, caller, deadline, params } = run;
  const context = {
    site,
    caller,
    resolver,
    get signal() {
      return deadline.signal;
    },
  };
  return deadline.within(resolvePages({ ...input, iwurl: params.iwurl }, context));
}

async function generate(run: QueryRun, generator: Selected, first: ResolvedPages) {
  if (generator.module.group === 'list') {
    const result = await runModule(generator, first, readListResult, run);
    if (!result) return { pages: [], continue: undefined };
    const pages = generatedPages(within(result, generator, run), generator.module.name);
    return { pages, continue: result.continue };
  }
  const result = await runModule(generator, first, readPropResult, run);
  const pages: GeneratedPage[] = [];
  for (const data of result?.pages.values() ?? []) {
    const list = readListResult(data);
    if (list) pages.push(...generatedPages(list, generator.module.name));
  }
  return { pages, continue: result?.continue };
}

type More = Participant['more'];

/** What a module has come to: where it goes on, and how its data get into the answer. */
interface Outcome {
  readonly more: More;
  place?(answer: Answer): void;
}

const NOTHING: Outcome = { more: undefined };
const FINISHED = Promise.resolve(NOTHING);

/** Runs the modules side by side. Their data and their refusals count in the order in which they were named. */
async function runAll(
  run: QueryRun,
  { selected, progress }: Plan,
  pages: ResolvedPages,
  answer: Answer,
  participants: Participant[],
): Promise<void> {
  const outcomes = await inOrder(selected.map((one) => runOne(run, one, pages, progress)));
  for (const [index, { place, more }] of outcomes.entries()) {
    const module = selected[index]?.module;
    place?.(answer);
    participants.push({ name: module?.name ?? '', kind: module?.group === 'prop' ? 'prop' : 'other', more });
  }
}

function runOne(
  run: QueryRun,
  selected: Selected,
  pages: ResolvedPages,
  { finished, generatorDone }: Progress,
): Promise<Outcome> {
  const { name, group } = selected.module;
  if (finished.has(name)) return FINISHED;
  if (group === 'list') return runList(run, selected);
  if (group === 'meta') return runMeta(run, selected);
  return generatorDone || !hasWork(selected, pages) ? FINISHED : runProp(run, selected, pages);
}

/** All of them, or the refusal of the first in order, whenever it came. Most requests have one module alone. */
async function inOrder(running: readonly Promise<Outcome>[]): Promise<readonly Outcome[]> {
  const [first, second] = running;
  if (first && !second) return [await first];
  return (await Promise.allSettled(running)).map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Modules that have something to say about pages that do not exist. */
const KNOWS_MISSING = new Set(['info', 'imageinfo', 'deletedrevisions']);

function hasWork({ module: { name } }: Selected, pages: ResolvedPages): boolean {
  if (name === 'stashimageinfo' || pages.existing.length > 0) return true;
  return KNOWS_MISSING.has(name) && pages.missing.length > 0;
}

async function runProp(run: QueryRun, selected: Selected, pages: ResolvedPages): Promise<Outcome> {
  const result = await runModule(selected, pages, readPropResult, run);
  if (!result) return NOTHING;
  return { more: paramsOf(selected, result.continue), place: (answer) => answer.addProp(selected.module, result) };
}

async function runList(run: QueryRun, selected: Selected): Promise<Outcome> {
  const { module, params } = selected;
  const result = (await runModule(selected, undefined, readListResult, run)) ?? emptyResult(module)?.list;
  if (!result) return NOTHING;
  const shown = within(result, selected, run);
  return { more: paramsOf(selected, result.continue), place: (answer) => answer.addList(module, params, shown) };
}

async function runMeta(run: QueryRun, selected: Selected): Promise<Outcome> {
  const { module } = selected;
  const result = (await runModule(selected, undefined, readMetaResult, run)) ?? emptyResult(module)?.meta;
  if (!result) return NOTHING;
  return { more: paramsOf(selected, result.continue), place: (answer) => answer.addMeta(module, result) };
}

/** A list never gets longer than its limit; who gives more than was asked for is told, and the rest is left out. */
function within(result: ListResult, selected: Selected, run: QueryRun): ListResult {
  const { module } = selected;
  const limit = askedFor(selected, run);
  if (limit === 0 || result.items.length <= limit) return result;
  run.onError(
    new RangeError(`The handler of "${module.name}" gave ${result.items.length} items where ${limit} were asked for.`),
  );
  return { ...result, items: result.items.slice(0, limit) };
}

function paramsOf({ module, use }: Selected, value: ContinueValue | undefined): More {
  return value === undefined
    ? undefined
    : continueParams(value, use.wirePrefix, module.continueParameter ?? 'continue');
}

function envelope(run: QueryRun, answer: Answer, participants: readonly Participant[]): MutableItem {
  const result: MutableItem = {};
  if (run.params.rawcontinue) {
    const raw = rawContinuation(participants);
    if (raw) result['query-continue'] = raw;
  } else {
    const { next, batchcomplete } = continueFrom(participants);
    if (batchcomplete) result['batchcomplete'] = run.version === 1 ? '' : true;
    if (next) result['continue'] = next;
  }
  if (run.parsing.limits) result['limits'] = Object.fromEntries(run.parsing.limits);
  if (!answer.isEmpty) result['query'] = answer.query;
  return Object.assign(result, answer.top);
}
