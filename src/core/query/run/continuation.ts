import { badContinue } from '../answer/api-error.js';
import type { ContinueValue } from './handlers.js';

/** What the request says about how far earlier answers have come. */
export interface Progress {
  /** The generator has nothing more: no pages, and no work on pages. */
  readonly generatorDone: boolean;
  /** Names on the wire that a generator goes on with; empty while the same pages are to be given again. */
  readonly generatorParams: readonly string[];
  /** Modules that have given everything. */
  readonly finished: ReadonlySet<string>;
}

const START: Progress = { generatorDone: false, generatorParams: [], finished: new Set() };

/**
 * Reads the value of `continue`: generator part, two bars, modules that are finished.
 *
 * @throws ApiError `badcontinue`
 */
export const readProgress = (value: string | undefined): Progress => {
  if (value === undefined || value === '') return START;
  const parts = value.split('||');
  if (parts.length !== 2) throw badContinue().in('main');
  const [generator = '', finished = ''] = parts;
  return {
    generatorDone: generator === '-',
    generatorParams: generator === '-' ? [] : split(generator),
    finished: new Set(split(finished)),
  };
};

const split = (list: string): readonly string[] => (list === '' ? [] : list.split('|'));

/** A module that took part in the request, and where it goes on if it has more. */
export interface Participant {
  readonly name: string;
  readonly kind: 'prop' | 'other' | 'generator';
  /** Parameters by their names on the wire; `undefined` when the module is finished. */
  readonly more: Readonly<Record<string, string | number>> | undefined;
  /** What the request itself said for those parameters: needed to get the same pages again. */
  readonly current?: Readonly<Record<string, string | number>>;
  /** Where a generator says that it began. */
  readonly start?: Readonly<Record<string, string | number>> | undefined;
}

export interface Continuation {
  /** The object for the client to add to its next request; `undefined` when everything has been given. */
  readonly next: Readonly<Record<string, string | number>> | undefined;
  /** Whether everything about the current pages has been given. */
  readonly batchcomplete: boolean;
}

const COMPLETE: Continuation = { next: undefined, batchcomplete: true };

/** Decides where the next request goes on: first the same pages, then the next ones, then what is left of the lists. */
export const continueFrom = (participants: readonly Participant[]): Continuation => {
  if (participants.every(isFinished)) return COMPLETE;
  const props = participants.filter(({ kind }) => kind === 'prop');
  const others = participants.filter(({ kind }) => kind === 'other');
  const generator = participants.find(({ kind }) => kind === 'generator');
  const params: Record<string, string | number> = {};
  for (const { more } of [...others, ...props]) Object.assign(params, more);
  const doneOthers = others.filter(isFinished).map(({ name }) => name);
  const doneProps = props.filter(isFinished).map(({ name }) => name);
  const finish = (generatorPart: string, skip: readonly string[]) => ({
    ...params,
    continue: `${generatorPart}||${skip.join('|')}`,
  });

  if (props.some(({ more }) => more)) {
    Object.assign(params, generator?.current);
    const part = generator ? Object.keys(generator.current ?? {}).join('|') : '';
    return { next: finish(part, [...doneProps, ...doneOthers]), batchcomplete: false };
  }
  if (generator?.more) {
    Object.assign(params, generator.more);
    return { next: finish(Object.keys(generator.more).join('|'), doneOthers), batchcomplete: true };
  }
  return { next: finish('-', [...props.map(({ name }) => name), ...doneOthers]), batchcomplete: true };
};

const isFinished = ({ more }: Participant): boolean => more === undefined;

/** The old form: every module's own parameters under its name, and the client does the rest. */
export const rawContinuation = (participants: readonly Participant[]): Readonly<Record<string, object>> | undefined => {
  const modules: Record<string, object> = {};
  for (const { name, more } of participants) if (more) modules[name] = { ...modules[name], ...more };
  return Object.keys(modules).length === 0 ? undefined : modules;
};

/** What a handler says about going on, as parameters with their names on the wire. */
export const continueParams = (
  value: ContinueValue,
  wirePrefix: string,
  parameter: string,
): Readonly<Record<string, string | number>> => {
  if (typeof value === 'string' || typeof value === 'number') return { [wirePrefix + parameter]: value };
  if (isList(value)) return { [wirePrefix + parameter]: value.join('|') };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [wirePrefix + name, one]));
};

const isList = (value: object): value is readonly (string | number)[] => Array.isArray(value);
