/** These members without those that are `undefined`. */
export const defined = <T extends object>(members: T): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } => {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
};
