/** One entry of a list: plain JSON data, with `true`/`false` for flags. */
export type ResultItem = Readonly<Record<string, unknown>>;

/** Plain data that is still being assembled. */
export type MutableItem = Record<string, unknown>;

/** How the objects of a module differ in formatversion 1. */
export interface Version1Form {
  /** The key that holds an object's content. */
  readonly content?: string | undefined;
  /** Flags that are shown even when `false`. */
  readonly explicitFalse?: readonly string[] | undefined;
}

const PLAIN: Version1Form = {};

/**
 * Converts data to formatversion 1: `true` becomes an empty text, `false` is omitted, and the key with an object's
 * content is called `*`. The input is in formatversion 2; values that are the same in both are returned without
 * copying.
 */
export const toVersion1 = (value: unknown, form: Version1Form = PLAIN): unknown => {
  if (value === true) return '';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listToVersion1(value, form);
  // Like JSON, reads any other object by its own keys.
  return objectToVersion1(value as MutableItem, form);
};

const listToVersion1 = (list: readonly unknown[], form: Version1Form): readonly unknown[] => {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const shown = toVersion1(list[index], form);
    if (shown !== list[index]) (copy ??= [...list])[index] = shown;
  }
  return copy ?? list;
};

const objectToVersion1 = (object: MutableItem, form: Version1Form): MutableItem => {
  let copy: MutableItem | undefined;
  const keys = Object.keys(object);
  for (const key of keys) {
    const value = object[key];
    const isContent = key === form.content && (typeof value === 'string' || typeof value === 'number');
    const isLeftOut = value === false && form.explicitFalse?.includes(key) !== true;
    const shown = toVersion1(value, form);
    if (isContent || isLeftOut || shown !== value) copy ??= before(key, keys, object);
    if (copy && !isLeftOut) copy[isContent ? '*' : key] = shown;
  }
  return copy ?? object;
};

/** The entries of an object before a key. */
const before = (end: string, keys: readonly string[], object: MutableItem): MutableItem => {
  const copy: MutableItem = {};
  for (const key of keys) {
    if (key === end) break;
    copy[key] = object[key];
  }
  return copy;
};
