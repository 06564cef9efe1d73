import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Histograms count whole numbers: tenths of a millisecond are precise enough. */
const STEPS_PER_MS = 10;

/** Maximum of different errors that are listed; further ones are only counted. */
const TOLD = 20;

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

export interface Latency {
  readonly operation: string;
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What happened in one phase. */
export class Journal {
  readonly #latencies = new Map<string, RecordableHistogram>();
  readonly #flows = new Map<string, number>();
  readonly #retries = new Map<string, number>();
  readonly #waits = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  #failures = 0;

  took(operation: string, milliseconds: number): void {
    let histogram = this.#latencies.get(operation);
    if (histogram === undefined) this.#latencies.set(operation, (histogram = createHistogram()));
    histogram.record(Math.max(1, Math.round(milliseconds * STEPS_PER_MS)));
  }

  finished(flow: string): void {
    count(this.#flows, flow);
  }

  retried(reason: string): void {
    count(this.#retries, reason);
  }

  waited(operation: string): void {
    count(this.#waits, operation);
  }

  failed(flow: string, error: unknown): void {
    this.#failures += 1;
    const [first] = (error instanceof Error ? error.message : String(error)).split('\n');
    const text = `${flow}: ${first}`;
    if (this.#errors.has(text) || this.#errors.size < TOLD) count(this.#errors, text);
  }

  /** Flows that failed. */
  get failures(): number {
    return this.#failures;
  }

  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  /** Requests that needed a second attempt, by the outcome of the first. */
  get retries(): ReadonlyMap<string, number> {
    return this.#retries;
  }

  /** Requests that had to wait (429), by their names. */
  get waits(): ReadonlyMap<string, number> {
    return this.#waits;
  }

  get flows(): ReadonlyMap<string, number> {
    return this.#flows;
  }

  get latencies(): readonly Latency[] {
    return [...this.#latencies]
      .map(([operation, histogram]) => ({
        operation,
        requests: histogram.count,
        p50: histogram.percentile(50) / STEPS_PER_MS,
        p99: histogram.percentile(99) / STEPS_PER_MS,
        max: histogram.max / STEPS_PER_MS,
      }))
      .toSorted((a, b) => a.operation.localeCompare(b.operation));
  }
}
