import { commute, type Step } from './steps.js';

/** What may be next. */
export interface Possible {
  /** In a fixed order. */
  readonly all: () => readonly Step[];
  readonly named: (id: string) => Step | undefined;
}

/** A place where the order was decided. */
interface Choice {
  readonly steps: readonly Step[];
  /** Tried already in another order that leads to the same. */
  readonly asleep: readonly Step[];
  readonly tried: Step[];
  /** What must be tried: the first one, and what begins another order of it and something later. */
  readonly wanted: Set<string>;
  chosen: Step;
}

const idsOf = (steps: readonly Step[]): ReadonlySet<string> => new Set(steps.map(({ id }) => id));

/** A step, and what may happen instead of it. */
const withFaults = (first: Step, steps: readonly Step[]): readonly Step[] => [
  first,
  ...steps.filter(({ isFault, actor }) => isFault && (actor === first.actor || actor === 'time')),
];

/** Whether it is possible from the beginning, and so follows from nothing. */
const isOfProcess = ({ id, isFault }: Step): boolean => isFault && /^[^.]*:/.test(id);

/**
 * All orders, depth first, but of those that differ only in steps that commute one. After each run, the other order of two steps that do not commute is
 * wanted, unless one follows from the other: only that can lead to something else (dynamic partial-order reduction, with sleep sets).
 */
export class Choices {
  readonly #isReduced: boolean;
  readonly #path: Choice[] = [];
  /** What each step of this run followed from: what was taken when it became possible. */
  #parents = new Map<string, string | undefined>();

  /** @param isReduced - If not, all steps are wanted everywhere, to see whether the reduction loses anything. */
  constructor(isReduced = true) {
    this.#isReduced = isReduced;
  }

  /** The next step of this run; `undefined` if every order that goes on from here was tried. */
  next({ all, named }: Possible, at: number): Step | undefined {
    const before = this.#path[at - 1];
    const known = this.#path[at];
    const steps = known?.steps ?? all();
    for (const { id } of steps) if (!this.#parents.has(id)) this.#parents.set(id, before?.chosen.id);
    if (known !== undefined) return named(known.chosen.id);
    if (steps.length === 0) return undefined;
    const asleep =
      before === undefined ? [] : [...before.asleep, ...before.tried].filter((step) => commute(step, before.chosen));
    const sleeping = idsOf(asleep);
    const chosen = steps.find(({ id }) => !sleeping.has(id));
    if (chosen === undefined) return undefined;
    const wanted = new Set(idsOf(this.#isReduced ? withFaults(chosen, steps) : steps));
    this.#path.push({ steps, asleep, tried: [], wanted, chosen });
    return chosen;
  }

  /** Goes to the next order. @returns Whether there is one. */
  advance(): boolean {
    if (this.#isReduced) for (const at of this.#path.keys()) this.#wantOthers(at);
    this.#parents = new Map();
    for (let choice = this.#path.at(-1); choice !== undefined; choice = this.#path.at(-1)) {
      choice.tried.push(choice.chosen);
      const done = idsOf([...choice.asleep, ...choice.tried]);
      const { steps, wanted } = choice;
      const next = steps.find(({ id }) => !done.has(id) && wanted.has(id));
      if (next !== undefined) {
        choice.chosen = next;
        return true;
      }
      this.#path.pop();
    }
    return false;
  }

  /** Wants what begins the other order of the step that was taken here and each later one that does not commute with it. */
  #wantOthers(at: number): void {
    const [choice, ...later] = this.#path.slice(at);
    if (choice === undefined) return;
    const { chosen, steps, wanted } = choice;
    const instead = chosen.isFault ? [chosen] : withFaults(chosen, steps);
    const possible = idsOf(steps);
    const following = new Set([chosen.id]);
    for (const { chosen: step } of later) {
      const parent = this.#parents.get(step.id);
      if (!isOfProcess(step) && parent !== undefined && following.has(parent)) following.add(step.id);
      else if (!instead.some(({ id }) => id === step.id) && instead.some((one) => !commute(one, step))) {
        let begin: string | undefined = step.id;
        while (begin !== undefined && !possible.has(begin)) begin = this.#parents.get(begin);
        const first = steps.find(({ id }) => id === begin);
        for (const { id } of first === undefined ? steps : withFaults(first, steps)) wanted.add(id);
      }
    }
  }
}
