const MIN_CAPACITY = 16;

/** With room for more, at half the size of an array of numbers. */
const grown = (list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const copy = new Int32Array(Math.ceil(list.length * 1.5));
  copy.set(list);
  return copy;
};

/**
 * Records in parallel arrays, because one object per record would need more memory than the record. Slots are dense: the last
 * one fills the gap of a removed one. `heap` is a binary heap of slots by expiry, `place` is the position of each slot in it.
 */
export class ExpiringTable<Value> {
  readonly #slots = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #values: Value[] = [];
  readonly #deadlines: number[] = [];
  #heap = new Int32Array(MIN_CAPACITY);
  #place = new Int32Array(MIN_CAPACITY);
  readonly #onRemove: (value: Value) => void;

  /** @param onRemove - Called with every removed value. */
  constructor(onRemove: (value: Value) => void = () => undefined) {
    this.#onRemove = onRemove;
  }

  get size(): number {
    return this.#keys.length;
  }

  get(key: string, now: number): Value | undefined {
    const slot = this.#slots.get(key);
    return slot !== undefined && at(this.#deadlines, slot) > now ? this.#values[slot] : undefined;
  }

  /** Whether no live record has this key. An expired one is removed. */
  free(key: string, now: number): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return true;
    if (at(this.#deadlines, slot) > now) return false;
    this.#remove(slot);
    return true;
  }

  /** The key must not exist yet. */
  insert(key: string, value: Value, deadline: number): void {
    const slot = this.size;
    this.#slots.set(key, slot);
    this.#keys.push(key);
    this.#values.push(value);
    this.#deadlines.push(deadline);
    if (slot === this.#heap.length) {
      this.#heap = grown(this.#heap);
      this.#place = grown(this.#place);
    }
    this.#put(slot, slot);
    this.#rise(slot);
  }

  /** The key must exist. */
  replace(key: string, value: Value, deadline: number): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#values[slot] = value;
    this.#deadlines[slot] = deadline;
    this.#rise(at(this.#place, slot));
    this.#sink(at(this.#place, slot), this.size);
  }

  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (slot !== undefined) this.#remove(slot);
  }

  /** Removes the record with the earliest expiry, if it has expired. */
  deleteDue(now: number): boolean {
    if (this.size === 0) return false;
    const slot = at(this.#heap, 0);
    if (at(this.#deadlines, slot) > now) return false;
    this.#remove(slot);
    return true;
  }

  *entries(now: number): IterableIterator<readonly [string, Value]> {
    for (const key of [...this.#keys]) {
      const value = this.get(key, now);
      if (value !== undefined) yield [key, value];
    }
  }

  #remove(slot: number): void {
    const gap = at(this.#place, slot);
    const last = this.size - 1;
    const lowest = at(this.#heap, last);
    if (lowest !== slot) {
      this.#put(lowest, gap);
      this.#rise(gap);
      this.#sink(at(this.#place, lowest), last);
    }
    this.#slots.delete(at(this.#keys, slot));
    this.#onRemove(at(this.#values, slot));
    if (slot !== last) this.#move(last, slot);
    this.#keys.pop();
    this.#values.pop();
    this.#deadlines.pop();
  }

  #move(from: number, to: number): void {
    const key = at(this.#keys, from);
    this.#slots.set(key, to);
    this.#keys[to] = key;
    this.#values[to] = at(this.#values, from);
    this.#deadlines[to] = at(this.#deadlines, from);
    this.#put(to, at(this.#place, from));
  }

  #put(slot: number, place: number): void {
    this.#heap[place] = slot;
    this.#place[slot] = place;
  }

  #rise(from: number): void {
    const slot = at(this.#heap, from);
    const deadline = at(this.#deadlines, slot);
    let place = from;
    while (place > 0) {
      const above = at(this.#heap, (place - 1) >> 1);
      if (at(this.#deadlines, above) <= deadline) break;
      this.#put(above, place);
      place = (place - 1) >> 1;
    }
    this.#put(slot, place);
  }

  /** @param end - The number of places in use. */
  #sink(from: number, end: number): void {
    const slot = at(this.#heap, from);
    const deadline = at(this.#deadlines, slot);
    let place = from;
    for (let below = 2 * place + 1; below < end; below = 2 * place + 1) {
      if (below + 1 < end && this.#deadlineAt(below + 1) < this.#deadlineAt(below)) below += 1;
      if (this.#deadlineAt(below) >= deadline) break;
      this.#put(at(this.#heap, below), place);
      place = below;
    }
    this.#put(slot, place);
  }

  #deadlineAt(place: number): number {
    return at(this.#deadlines, at(this.#heap, place));
  }
}

/** An element that is known to exist. */
const at = <T>(list: ArrayLike<T>, index: number): T => list[index] as T;
