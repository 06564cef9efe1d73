/** These members without those that are `undefined`. */
export const defined = <T extends object>(members: T): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } => {
  const present: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value: unknown = Reflect.get(members, name);
    if (value !== undefined) present[name] = value;
  }
  return present as { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
};
