import { badContinue } from '../answer/api-error.js';
import type { ContinueValue } from './handlers.js';

/** The progress of a continued query. */
export interface Progress {
  /** The generator and all prop modules are finished. */
  readonly generatorDone: boolean;
  /** The generator's continue parameters, by their names on the wire; empty if the generator is at its start. */
  readonly generatorParams: readonly string[];
  /** Modules that are finished. */
  readonly finished: ReadonlySet<string>;
}

const START: Progress = { generatorDone: false, generatorParams: [], finished: new Set() };

/**
 * Parses `continue`: the generator part, two bars, finished modules.
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

/** A module of the request and its continuation. */
export interface Participant {
  readonly name: string;
  readonly kind: 'prop' | 'other' | 'generator';
  /** Continue parameters by their names on the wire; `undefined` if the module is finished. */
  readonly more: Readonly<Record<string, string | number>> | undefined;
  /** The continue parameters of this request, which select the same pages again. */
  readonly current?: Readonly<Record<string, string | number>>;
  /** The start position of a generator. */
  readonly start?: Readonly<Record<string, string | number>> | undefined;
}

interface Continuation {
  /** Parameters for the next request; `undefined` if everything is finished. */
  readonly next: Readonly<Record<string, string | number>> | undefined;
  /** Whether the data of the current pages is complete. */
  readonly batchcomplete: boolean;
}

const COMPLETE: Continuation = { next: undefined, batchcomplete: true };

/** Computes the continuation: first the same pages, then the next ones, then the rest of the lists. */
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

/** The older form: the continue parameters of every module under its name. */
export const rawContinuation = (participants: readonly Participant[]): Readonly<Record<string, object>> | undefined => {
  const modules: Record<string, object> = {};
  for (const { name, more } of participants) if (more) modules[name] = { ...modules[name], ...more };
  return Object.keys(modules).length === 0 ? undefined : modules;
};

/** A handler's continue value, as parameters by their names on the wire. */
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
