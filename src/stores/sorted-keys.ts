/** Maximum number of keys per block. Adding or deleting copies one block. */
const BLOCK = 128;

/** Distinct texts sorted by UTF-16 code units, in blocks: the millionth takes hardly longer to add than the tenth. */
export class SortedKeys {
  /** None is empty. Blocks are copied instead of spliced, because `splice` would reserve space for 17 more in each of many short blocks. */
  #blocks: (readonly string[])[] = [];

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  add(key: string): void {
    const [at, block, place] = this.#find(key);
    if (block[place] === key) return;
    const grown = block.toSpliced(place, 0, key);
    if (grown.length <= BLOCK) this.#blocks[at] = grown;
    else this.#blocks.splice(at, 1, grown.slice(0, BLOCK / 2), grown.slice(BLOCK / 2));
  }

  delete(key: string): void {
    const [at, block, place] = this.#find(key);
    if (block[place] !== key) return;
    if (block.length > 1) this.#blocks[at] = block.toSpliced(place, 1);
    else this.#blocks.splice(at, 1);
  }

  /** A number of keys from the start, or after a text, which need not be one of them. */
  first(count: number, after: string | undefined): string[] {
    const [at, block, place] = after === undefined ? [0, this.#blocks[0] ?? [], 0] : this.#find(after);
    const found = block.slice(block[place] === after ? place + 1 : place);
    for (let next = at + 1; found.length < count && next < this.#blocks.length; next += 1) {
      found.push(...(this.#blocks[next] ?? []));
    }
    return found.slice(0, count);
  }

  /** The block that contains a key or should, and its position there. */
  #find(key: string): [at: number, block: readonly string[], place: number] {
    const behind = lowest(this.#blocks.length, (index) => (this.#blocks[index]?.[0] ?? '') > key);
    const at = Math.max(0, behind - 1);
    const block = this.#blocks[at] ?? [];
    return [at, block, lowest(block.length, (index) => (block[index] ?? '') >= key)];
  }
}

/** The lowest index from which on the condition holds; `length` if it never does. */
function lowest(length: number, isSo: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
