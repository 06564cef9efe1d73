/** Plain data on its way into an answer. */
export type MutableItem = Record<string, unknown>;

/** What is peculiar about the objects of a module in formatversion 1. */
export interface Peculiarities {
  /** The key that holds an object's content. */
  readonly content?: string | undefined;
  /** Flags that are shown although they are not set. */
  readonly keptFalse?: ReadonlySet<string>;
}

const NOTHING_PECULIAR: Peculiarities = {};

/**
 * Data as formatversion 1 shows it: `true` is an empty text, `false` is left out, and the one key that is the content
 * of its object is called `*`. Data is given in the form of formatversion 2, which needs no change; whatever looks the
 * same in both is given back as it is.
 */
export function toVersion1(value: unknown, peculiar: Peculiarities = NOTHING_PECULIAR): unknown {
  if (value === true) return '';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listToVersion1(value, peculiar);
  // Whatever else is an object is read by its own keys, as JSON does.
  return objectToVersion1(value as MutableItem, peculiar);
}

function listToVersion1(list: readonly unknown[], peculiar: Peculiarities): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const shown = toVersion1(list[index], peculiar);
    if (shown !== list[index]) (copy ??= [...list])[index] = shown;
  }
  return copy ?? list;
}

function objectToVersion1(object: MutableItem, peculiar: Peculiarities): MutableItem {
  let copy: MutableItem | undefined;
  const keys = Object.keys(object);
  for (const key of keys) {
    const value = object[key];
    const isContent = key === peculiar.content && (typeof value === 'string' || typeof value === 'number');
    const isLeftOut = value === false && peculiar.keptFalse?.has(key) !== true;
    const shown = toVersion1(value, peculiar);
    if (isContent || isLeftOut || shown !== value) copy ??= before(key, keys, object);
    if (copy && !isLeftOut) copy[isContent ? '*' : key] = shown;
  }
  return copy ?? object;
}

/** What an object has before a key. */
function before(end: string, keys: readonly string[], object: MutableItem): MutableItem {
  const copy: MutableItem = {};
  for (const key of keys) {
    if (key === end) break;
    copy[key] = object[key];
  }
  return copy;
}

/** The key that holds an object's content, by module. Lists of plain objects have none. */
const CONTENT_KEYS: ReadonlyMap<string, string> = new Map([
  ['allcategories', 'category'],
  ['trackingcategories', 'category'],
  ['langlinks', 'title'],
  ['iwlinks', 'title'],
  ['extlinks', 'url'],
  ['allmessages', 'content'],
  ['revisions', 'content'],
  ['deletedrevisions', 'content'],
  ['allrevisions', 'content'],
  ['alldeletedrevisions', 'content'],
  ['deletedrevs', 'content'],
]);

export const contentKeyOf = (moduleName: string): string | undefined => CONTENT_KEYS.get(moduleName);
