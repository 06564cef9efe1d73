/** The number of recent copies remembered: a power of two. */
const SLOTS = 1024;

type Members = Record<string, unknown>;

/**
 * Makes frozen copies of plain data. Equal values share a copy: the client-credentials tokens of a client
 * issued within one second differ only in their key, and their values would take a third of the store.
 */
export class FrozenCopies {
  readonly #recent: (object | undefined)[] = Array.from({ length: SLOTS }, () => undefined);
  readonly #digests = new Int32Array(SLOTS);

  of(value: object): object {
    const digest = digestOf(value, 0);
    const slot = digest & (SLOTS - 1);
    const known = this.#digests[slot] === digest ? this.#recent[slot] : undefined;
    if (known !== undefined && isEqual(known, value)) return known;
    const copy = Object.freeze(Array.isArray(value) ? value.map((one) => this.#member(one)) : this.#members(value));
    this.#recent[slot] = copy;
    this.#digests[slot] = digest;
    return copy;
  }

  #members(value: object): object {
    // The result of `{ ...value }` takes three times as long to freeze, but only it can copy this one name.
    const copy: Members = Object.hasOwn(value, '__proto__') ? { ...value } : Object.assign<Members, object>({}, value);
    for (const name in copy) copy[name] = this.#member(copy[name]);
    return copy;
  }

  #member(member: unknown): unknown {
    return isObject(member) ? this.of(member) : member;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Only the last characters of a text count: in names, these differ. */
const COUNTED = 8;

/** A number that equal values share, and different values rarely do. JSON would be exact but five times slower. */
function digestOf(value: unknown, start: number): number {
  let digest = start;
  if (typeof value === 'string') {
    digest = (digest * 31 + value.length) | 0;
    for (let i = Math.max(0, value.length - COUNTED); i < value.length; i += 1) {
      digest = (digest * 31 + value.charCodeAt(i)) | 0;
    }
  } else if (typeof value === 'number') {
    digest = (digest * 31 + value) | 0;
  } else if (isObject(value)) {
    for (const name in value) digest = digestOf((value as Members)[name], digest);
  }
  return digest;
}

/** Whether two plain objects or arrays are equal. */
function isEqual(a: object, b: object): boolean {
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Members;
  const right = b as Members;
  let missing = 0;
  for (const _name in right) missing += 1;
  for (const name in left) {
    if (!Object.hasOwn(right, name)) return false;
    const one = left[name];
    const other = right[name];
    if (one !== other && !(isObject(one) && isObject(other) && isEqual(one, other))) return false;
    missing -= 1;
  }
  return missing === 0;
}
