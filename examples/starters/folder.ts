/** The folder of the starters: next to this file in a checkout, and next to the chunks of the command line in the package. */
export const STARTERS = new URL('../starters/', import.meta.url);
