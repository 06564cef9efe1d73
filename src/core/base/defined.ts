/** These members without those that are `undefined`. */
export const defined = <T extends object>(members: T): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } => {
  const present: Record<string, unknown> = {};
  for (const name in members) {
    const value: unknown = members[name];
    if (value !== undefined) present[name] = value;
  }
  return present as { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
};
