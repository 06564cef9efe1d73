/** The services of a tree: each may exchange for each other one. */
export const SERVICES = ['notes', 'search', 'mail', 'files'] as const;

/** Numbers that look random, and are the same in each run. */
export const numbers = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

export const DEPTH = 8;
export const SIZE = 20;

/** A token of a tree. */
export interface Node {
  readonly token: string;
  /** The service that it is for. */
  readonly target: string;
  readonly depth: number;
  readonly parent: number;
  /** The client that it was issued to. */
  readonly by: string;
}

/** Twenty tokens: the first is of a user, for `notes`, and each other one is exchanged for one before it. */
export const treeOf = async (
  first: string,
  random: (below: number) => number,
  exchanged: (by: string, token: string, target: string) => Promise<string>,
): Promise<readonly Node[]> => {
  const nodes: Node[] = [{ token: first, target: 'notes', depth: 0, parent: -1, by: 'web' }];
  while (nodes.length < SIZE) {
    const parent = random(nodes.length);
    const { token, target: by, depth } = nodes[parent] as Node;
    if (depth === DEPTH) continue;
    const others = SERVICES.filter((name) => name !== by);
    const target = others[random(others.length)] as string;
    nodes.push({ token: await exchanged(by, token, target), target, depth: depth + 1, parent, by });
  }
  return nodes;
};

const isBelow = (nodes: readonly Node[], at: number, end: number): boolean =>
  at === end || (at > 0 && isBelow(nodes, nodes[at]?.parent ?? -1, end));

/** Which tokens are live once this one has ended: all but those that came out of it. */
export const liveAfter = (nodes: readonly Node[], end: number): readonly boolean[] =>
  nodes.map((_, index) => !isBelow(nodes, index, end));
