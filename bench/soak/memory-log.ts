import type { Memory } from './cluster.js';

const MB = 1024 * 1024;

/** The first samples of a process are left out: its code is still being compiled, and its caches fill. */
const WARM_UP = 3;

/** Fewer samples show no trend. */
const ENOUGH = 8;

export interface MemoryTrend {
  readonly process: string;
  readonly samples: number;
  readonly rss: Trend;
  readonly heapUsed: Trend;
}

/** Megabytes: the medians of the first and the last third, and the slope of a line through all samples, per minute. */
export interface Trend {
  readonly first: number;
  readonly last: number;
  readonly perMinute: number;
}

interface Sample extends Memory {
  readonly minute: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** The slope of the line with the least squares. */
const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number => {
  const mean = (of: 0 | 1): number => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
};

const trendOf = (samples: readonly Sample[], kind: keyof Memory): Trend => {
  const third = Math.ceil(samples.length / 3);
  const values = samples.map((sample) => sample[kind] / MB);
  return {
    first: median(values.slice(0, third)),
    last: median(values.slice(-third)),
    perMinute: slopeOf(samples.map((sample) => [sample.minute, sample[kind] / MB])),
  };
};

/** The memory of each process over time. A restarted process starts again. */
export class MemoryLog {
  readonly #samples = new Map<string, Sample[]>();

  add(server: { readonly name: string; readonly life: number }, memory: Memory | undefined): void {
    if (memory === undefined) return;
    const name = server.life === 1 ? server.name : `${server.name}, start ${server.life}`;
    const samples = this.#samples.get(name) ?? [];
    this.#samples.set(name, samples);
    samples.push({ ...memory, minute: performance.now() / 60_000 });
  }

  /** The trends of all processes that lived long enough to have one. */
  get trends(): readonly MemoryTrend[] {
    return [...this.#samples].flatMap(([process, all]) => {
      const samples = all.slice(WARM_UP);
      if (samples.length < ENOUGH) return [];
      return [
        { process, samples: samples.length, rss: trendOf(samples, 'rss'), heapUsed: trendOf(samples, 'heapUsed') },
      ];
    });
  }
}

/** Growth that is not a leak: code compiled late, and memory that the collector has not returned yet. */
const ALLOWED = { heapUsed: { megabytes: 5, share: 0.15 }, rss: { megabytes: 25, share: 0.2 } } as const;

/** The processes that use clearly more memory in the last third than in the first. */
export const growing = (trends: readonly MemoryTrend[]): readonly string[] =>
  trends.flatMap((trend) =>
    (['heapUsed', 'rss'] as const).flatMap((kind) => {
      const { first, last } = trend[kind];
      const { megabytes, share } = ALLOWED[kind];
      return last > first * (1 + share) + megabytes
        ? [`${trend.process}: ${kind} grew from ${first.toFixed(1)} to ${last.toFixed(1)} MB`]
        : [];
    }),
  );
