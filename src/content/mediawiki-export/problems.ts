import { printable } from '../../core/query/toolkit.js';
import type { ProblemKind } from './reader.js';

/** The problems that are reported in full; of others the number is reported. */
const MAX_SENTENCES = 100;

/** Reports the problems of an export, each in a sentence with its line. */
export class Problems {
  readonly #file: string;
  readonly #onProblem: (sentence: string) => void;
  readonly #counts = new Map<ProblemKind, number>();
  #left = MAX_SENTENCES;

  constructor(file: string, onProblem: (sentence: string) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  add(kind: ProblemKind, sentence: string, line: () => number): void {
    this.#left -= 1;
    if (this.#left >= 0) this.#onProblem(printable(`${this.#file}:${line()}: ${sentence}`));
    else this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** Reports the number of problems that were not. */
  finish(): void {
    for (const [kind, count] of this.#counts)
      this.#onProblem(printable(`${this.#file}: ${kind}, not listed: ${count}.`));
  }
}
