import type { Entry, RunningSite } from './running-site.js';

/** A list, with how to read off an answer what each of its items is. */
export interface Walk {
  readonly params: Readonly<Record<string, string>>;
  /** The parameter that says how many items at most. */
  readonly limit: string;
  /** The items of an answer; no two of a walk are alike. */
  readonly items: (query: Entry) => readonly Entry[];
  /** What to compare of an item. */
  readonly text: (item: Entry) => string;
  /** The expected texts while nothing is added. */
  readonly all: readonly string[];
  /** Its parameter counts, so nothing may be added meanwhile. */
  readonly counts?: true;
  readonly owner?: true;
  /** The highest limit of the module, where it is not 500. */
  readonly most?: number;
}

/** Everything that a walk meets, and how many requests it took. */
export async function walkThrough(site: RunningSite, walk: Walk, size: string, token?: string) {
  const { params, limit, items, text } = walk;
  const met: Entry[] = [];
  let progress: Readonly<Record<string, string>> = {};
  for (let requests = 1; requests < 3_000; requests += 1) {
    const answer = await site.query({ ...params, [limit]: size, ...progress }, token);
    if (answer['error'] ?? answer['warnings']) throw new Error(JSON.stringify({ params, ...answer }).slice(0, 500));
    met.push(...items(answer.query ?? answer));
    if (!answer.continue) {
      return {
        texts: met.map(text),
        twice: met.length - new Set(met.map((item) => JSON.stringify(item))).size,
        requests,
      };
    }
    progress = Object.fromEntries(Object.entries(answer.continue).map(([name, value]) => [name, String(value)]));
  }
  throw new Error(`The walk through ${JSON.stringify(params)} does not end.`);
}
