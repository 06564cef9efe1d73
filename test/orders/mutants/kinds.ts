/** What may be wrong with a write. */
export const KINDS = [
  'left out',
  'not awaited',
  'after the next',
  'expiry halved',
  'result ignored',
  'group dropped',
] as const;

export type Kind = (typeof KINDS)[number];
