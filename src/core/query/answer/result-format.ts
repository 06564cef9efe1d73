/** One entry of a list: plain JSON data, with `true`/`false` for flags. */
export type ResultItem = Readonly<Record<string, unknown>>;

/** Plain data on its way into an answer. */
export type MutableItem = Record<string, unknown>;

/** What formatversion 1 does with the objects of a module. */
export interface Version1Form {
  /** The key that holds an object's content. */
  readonly content?: string | undefined;
  /** Flags that are shown although they are not set. */
  readonly keptFalse?: readonly string[] | undefined;
}

const PLAIN: Version1Form = {};

/**
 * Data as formatversion 1 shows it: `true` is an empty text, `false` is left out, and the one key that is the content
 * of its object is called `*`. Data is given in the form of formatversion 2, which needs no change; whatever looks the
 * same in both is given back as it is.
 */
export const toVersion1 = (value: unknown, form: Version1Form = PLAIN): unknown => {
  if (value === true) return '';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listToVersion1(value, form);
  // Whatever else is an object is read by its own keys, as JSON does.
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
    const isLeftOut = value === false && form.keptFalse?.includes(key) !== true;
    const shown = toVersion1(value, form);
    if (isContent || isLeftOut || shown !== value) copy ??= before(key, keys, object);
    if (copy && !isLeftOut) copy[isContent ? '*' : key] = shown;
  }
  return copy ?? object;
};

/** What an object has before a key. */
const before = (end: string, keys: readonly string[], object: MutableItem): MutableItem => {
  const copy: MutableItem = {};
  for (const key of keys) {
    if (key === end) break;
    copy[key] = object[key];
  }
  return copy;
};
