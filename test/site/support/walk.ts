import { type Params, walk } from '../../content/support/walk.js';
import type { Answered, Entry, RunningSite } from './running-site.js';

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

/** Everything that a walk meets. */
export async function walkThrough(
  site: RunningSite,
  { params, limit, items, text }: Walk,
  size: string,
  token?: string,
) {
  const send = async (all: Params): Promise<Entry> => {
    const answer = await site.query(all, token);
    if (answer['error'] ?? answer['warnings']) throw new Error(JSON.stringify({ params, ...answer }).slice(0, 500));
    return answer;
  };
  const answers = (await walk(send, { ...params, [limit]: size })) as readonly Answered[];
  const met = answers.flatMap((answer) => items(answer.query ?? answer));
  return { texts: met.map(text), twice: met.length - new Set(met.map((item) => JSON.stringify(item))).size };
}
