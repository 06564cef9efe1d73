import { defined } from './defined.js';
import { type ErrorCode, mistake } from './mistakes.js';
import { nearestName } from './spelling.js';

/** One option in a table: what it accepts, how it is checked, and its default. */
export interface Entry<In, Out> {
  /** The end of the sentence "… must be …"; the reference of options shows it too. */
  readonly takes: string;
  /** A sentence to add when a value is wrong, such as a question about the environment. */
  readonly hint?: string;
  /** The default value, as shown in the reference. */
  readonly default?: string;
  /** The options below this one. */
  readonly fields?: Table;
  /** Set if a value that is present but `undefined` is a mistake, such as an unset environment variable: the sentence to add. */
  readonly refusesUndefined?: string;
  /** Whether the value is of this kind at all. Distinguishes the alternatives of an option. */
  is(given: unknown): boolean;
  /**
   * The validated and completed value; `undefined` yields the default.
   *
   * @throws TypeError with a sentence that begins with the path of the option.
   */
  read(given: unknown, path: string): Out;
  /** Never present. Lets the compiler compare the entry with the type of its option. */
  readonly input?: (value: In) => void;
}

/** Options by name. */
export type Table = Readonly<Record<string, Entry<never, unknown>>>;

/** Whether the type of an option accepts `undefined`; always for one that is required. */
type TakesUndefined<Options, Name extends keyof Options> =
  Pick<Options, Name> extends Required<Pick<Options, Name>>
    ? true
    : { readonly [Key in Name]: undefined } extends Pick<Options, Name>
      ? true
      : false;

/** A table with one entry for each field of an interface: one missing or one too many does not compile. */
export type Fields<T> = {
  readonly [Name in keyof T]-?: Entry<Exclude<T[Name], undefined>, unknown>;
};

/**
 * The same for options. An optional one whose type does not accept `undefined`, for absent, does not compile either, unless absence would allow more: then
 * its entry refuses `undefined` too ({@link neverUndefined}).
 */
export type Schema<Options> = Fields<Options> & {
  readonly [Name in keyof Options as TakesUndefined<Options, Name> extends true ? never : Name]-?: Required<
    Pick<Entry<never, unknown>, 'refusesUndefined'>
  >;
};

/** The type of optional options, as {@link Schema} wants it. */
export type Optional<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined };

/** The options read by a table, validated and completed. */
export type Checked<T extends Table> = {
  readonly [Name in keyof T as undefined extends OutOf<T[Name]> ? never : Name]: OutOf<T[Name]>;
} & {
  readonly [Name in keyof T as undefined extends OutOf<T[Name]> ? Name : never]?: Exclude<OutOf<T[Name]>, undefined>;
};

type OutOf<E> = E extends Entry<never, infer Out> ? Out : never;

type Given<T extends Table> = {
  readonly [Name in keyof T]?: (T[Name] extends Entry<infer In, unknown> ? In : never) | undefined;
};

/**
 * Throws the TypeError of a wrong option.
 *
 * @param sentence - Names the option, and says what to do.
 */
export const fail = (sentence: string, code: ErrorCode = 'OQ100'): never => {
  throw mistake(sentence, code);
};

/** Whether a value is an object, and neither an array nor `null`. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mustBe = (given: unknown, path: string, takes: string, hint = ''): never =>
  given instanceof Promise
    ? fail(`${path} must be ${takes}. It is a promise: await it first.`, 'OQ103')
    : fail(`${path} must be ${takes}.${hint}`);

/**
 * An option with a custom check.
 *
 * @param takes - What the check accepts, as the end of "… must be …".
 * @param hint - A sentence to add when the value is wrong.
 */
export const value = <T>(takes: string, is: (given: unknown) => boolean, hint?: string): Entry<T, T | undefined> => ({
  takes,
  ...defined({ hint }),
  is,
  read: (given, path) =>
    given === undefined || is(given) ? (given as T | undefined) : mustBe(given, path, takes, hint),
});

/** A question for values that usually come from the environment. */
export const ENVIRONMENT = ' Is the environment variable set?';

export const LINE_BREAK = 'does it end with a line break?';

/** Adds a default value. */
export const orElse = <In, Out, const Fallback>(
  entry: Entry<In, Out>,
  fallback: Fallback,
  shown: string = typeof fallback === 'string' ? `\`${fallback}\`` : String(fallback),
): Entry<In, Exclude<Out, undefined> | Fallback> => ({
  ...entry,
  default: shown,
  // An entry only returns nothing if it was given nothing.
  read: (given, path) => (given === undefined ? fallback : (entry.read(given, path) as Exclude<Out, undefined>)),
});

/** An option that is required. */
export const required = <In, Out>(
  entry: Entry<In, Out>,
  remedy = `it must be ${entry.takes}`,
): Entry<In, Exclude<Out, undefined>> => ({
  ...entry,
  default: 'required',
  read: (given, path) =>
    given === undefined
      ? fail(`${path} is missing: ${remedy}.${entry.hint ?? ''}`, 'OQ102')
      : (entry.read(given, path) as Exclude<Out, undefined>),
});

/** An option whose value often comes from the environment. */
export const fromEnvironment = <In, Out>(entry: Entry<In, Out>): Entry<In | undefined, Out> => {
  const { input: _, ...rest } = entry;
  return { ...rest, refusesUndefined: ENVIRONMENT };
};

/**
 * An option without which more is allowed, so that `undefined` in its place is a mistake.
 *
 * @param remedy - The sentence to add to the error.
 */
export const neverUndefined = <In, Out>(
  entry: Entry<In, Out>,
  remedy = ' Is the environment variable set, and the name right? Leave the option out for its default.',
): Entry<In, Out> & Required<Pick<Entry<In, Out>, 'refusesUndefined'>> => ({
  ...entry,
  refusesUndefined: remedy,
});

/** Adds a further check or a conversion. */
export const refined = <In, Out, Refined>(
  entry: Entry<In, Out>,
  refine: (read: Exclude<Out, undefined>, path: string) => Refined,
): Entry<In, Refined | Extract<Out, undefined>> => ({
  ...entry,
  read: (given, path) => {
    const read = entry.read(given, path);
    return read === undefined ? (read as Extract<Out, undefined>) : refine(read as Exclude<Out, undefined>, path);
  },
});

/** Validates, but returns the value itself instead of a completed copy. */
export const unchanged = <T>(entry: Entry<T, unknown>): Entry<T, T | undefined> => ({
  ...entry,
  read: (given, path) => {
    entry.read(given, path);
    return given as T | undefined; // The entry accepts nothing else.
  },
});

/** `true` or `false`, without a default. */
export const condition = value<boolean>('true or false', (given) => typeof given === 'boolean');

/** `true` or `false`. */
export const flag = (fallback: boolean): Entry<boolean, boolean> => orElse(condition, fallback);

/**
 * A whole number, without a default.
 *
 * @param unit - Such as `seconds`.
 */
export const integer = (min: number, max: number, unit?: string): Entry<number, number | undefined> =>
  value(
    `a whole number${unit === undefined ? '' : ` of ${unit}`} from ${min} to ${max}`,
    (given) => Number.isInteger(given) && Number(given) >= min && Number(given) <= max,
  );

/** A whole number, with a default. */
export const wholeNumber = (fallback: number, min: number, max: number, unit?: string): Entry<number, number> =>
  orElse(integer(min, max, unit), fallback);

/**
 * A string.
 *
 * @param takes - The end of "… must be …".
 * @param matches - What it must match; any but an empty string by default.
 */
export const text = (takes = 'a string', matches = /^[^]+$/, hint?: string): Entry<string, string | undefined> =>
  value(takes, (given) => typeof given === 'string' && matches.test(given), hint);

/** Text that a form or a header carries. Values from the environment and from files often end with a line break. */
export const oneLine = (entry: Entry<string, string | undefined>): Entry<string, string | undefined> =>
  refined(entry, (given, path) =>
    /\p{Cc}/u.test(given) ? fail(`${path} contains a control character; ${LINE_BREAK}`) : given,
  );

/** One of these strings. */
export const oneOf = <const T extends string>(...names: readonly [T, T, ...T[]]): Entry<T, T | undefined> => {
  const quoted = names.map((name) => `'${name}'`);
  return value(`${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`, (given) =>
    names.some((name) => name === given),
  );
};

/** A function. */
export const fn = <T>(takes = 'a function'): Entry<T, T | undefined> =>
  value(takes, (given) => typeof given === 'function');

/** An object of the application with these methods. */
export const having = <T>(takes: string, ...methods: readonly string[]): Entry<T, T | undefined> =>
  value(takes, (given) => isRecord(given) && methods.every((name) => typeof given[name] === 'function'));

/** An array. */
export const listOf = <In, Out>(
  takes: string,
  entry: Entry<In, Out>,
): Entry<readonly In[], readonly Exclude<Out, undefined>[] | undefined> =>
  refined(value<readonly unknown[]>(takes, Array.isArray), (items, path) =>
    items.map((item, index) => required(entry).read(item, `${path}[${index}]`)),
  );

/** One of two kinds of values. */
export const either = <A, B, OutA, OutB>(a: Entry<A, OutA>, b: Entry<B, OutB>): Entry<A | B, OutA | OutB> => ({
  takes: `${a.takes}, or ${b.takes}`,
  ...((a.fields ?? b.fields) && { fields: { ...a.fields, ...b.fields } }),
  is: (given) => a.is(given) || b.is(given),
  read: (given, path) =>
    given === undefined || a.is(given)
      ? a.read(given, path)
      : b.is(given)
        ? b.read(given, path)
        : mustBe(given, path, `${a.takes}, or ${b.takes}`, a.hint),
});

/** The path of a field: `options.limits`, `options.scopes["photos.read"]`. */
const below = (path: string, name: string): string => {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
};

/** An object with arbitrary keys. */
export const mapOf = <In, Out>(
  takes: string,
  entry: Entry<In, Out>,
  names: RegExp = /^/,
  nameTakes = '',
): Entry<Readonly<Record<string, In>>, Readonly<Record<string, Exclude<Out, undefined>>> | undefined> =>
  refined(value<Readonly<Record<string, unknown>>>(takes, isRecord), (given, path) =>
    Object.fromEntries(
      Object.entries(given).map(([name, item]) => {
        if (!names.test(name)) fail(`${path}: ${JSON.stringify(name)} ${nameTakes}.`);
        return [name, required(entry).read(item, below(path, name))];
      }),
    ),
  );

/** The maximum number of names in a sentence. */
const MAX_NAMES = 30;

const namesOf = (fields: Table): string => {
  const names = Object.keys(fields);
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
};

/** The option a name probably stands for: one a level deeper, such as `lifetimes.refreshGrace` for `refreshGrace`, or one with similar spelling. */
const meant = (name: string, path: string, fields: Table): string | undefined => {
  const deeper = new Map(
    Object.entries(fields).flatMap(([group, field]) =>
      Object.keys(field.fields ?? {}).map((leaf) => [leaf, below(below(path, group), leaf)] as const),
    ),
  );
  const found = deeper.get(name);
  if (found !== undefined) return found;
  const near = nearestName(name, Object.keys(fields));
  if (near !== undefined) return below(path, near);
  return deeper.get(nearestName(name, [...deeper.keys()]) ?? '');
};

/** The error message for an unknown name, usually a typo. */
export const unknownName = (name: string, path: string, fields: Table, remedy = ''): string => {
  const near = meant(name, path.replace(/^.*: /, ''), fields);
  const advice = near === undefined ? `Known are ${namesOf(fields)}.` : `Did you mean ${near}?`;
  return `${below(path, name)} is unknown. ${advice}${remedy}`;
};

interface ObjectInit {
  readonly takes?: string;
  /** A sentence to add for an unknown name. */
  readonly remedy?: string;
  /** Names of earlier versions, and the current path of each option. */
  readonly moved?: Readonly<Record<string, string>>;
}

/** An object of options. Unknown names are rejected. */
export const object = <const T extends Table>(
  fields: T,
  { takes = `an object with ${Object.keys(fields).slice(0, 8).join(', ')}`, remedy = '', moved = {} }: ObjectInit = {},
): Entry<Given<T>, Checked<T>> => {
  return {
    takes,
    fields,
    is: isRecord,
    read: (given = {}, path) => {
      if (!isRecord(given)) return mustBe(given, path, takes);
      const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
      if (unknown !== undefined && Object.hasOwn(moved, unknown))
        fail(`${below(path, unknown)} is now ${moved[unknown]}.`, 'OQ111');
      if (unknown !== undefined) fail(unknownName(unknown, path, fields, remedy), 'OQ101');
      const read: Record<string, unknown> = {};
      for (const [name, field] of Object.entries(fields)) {
        const own = given[name];
        if (own === undefined && field.refusesUndefined !== undefined && Object.hasOwn(given, name))
          fail(`${below(path, name)} is undefined.${field.refusesUndefined}`, 'OQ102');
        const checked = field.read(own, below(path, name));
        if (checked !== undefined) read[name] = checked;
      }
      return read as Checked<T>; // Every field was read by its own entry.
    },
  };
};

/** Makes an option optional; it then has no default. */
export const optional = <In, Out>(entry: Entry<In, Out>): Entry<In, Out | undefined> => ({
  ...entry,
  read: (given, path) => (given === undefined ? undefined : entry.read(given, path)),
});

/** A path, with aliases. The first one is the path that documents and pages name. */
export const path = (usual: string): Entry<string | readonly string[], readonly [string, ...string[]]> => {
  const onePath = value<string>(
    `a path that begins with a slash, without placeholders, query or percent escapes, such as ${usual}`,
    (given) => typeof given === 'string' && /^\/[A-Za-z0-9\-._~!$&'()+,;=@/]+$/.test(given),
  );
  const paths = refined(
    either(onePath, listOf('an array of such paths', onePath)),
    (given, at): readonly [string, ...string[]] => {
      const [first, ...aliases] = typeof given === 'string' ? [given] : given;
      return first === undefined ? fail(`${at} is an empty list. Leave it out for ${usual}.`) : [first, ...aliases];
    },
  );
  return orElse(paths, [usual] as const, `\`${usual}\``);
};
