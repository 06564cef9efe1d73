import { existsSync, readFileSync } from 'node:fs';
import type { Results } from './results.js';

/** The committed results, seen from the root, where every script is started. */
export const LATEST = 'bench/results/latest.json';

/** `undefined` when nothing has been saved yet. */
export const readReference = (): Results | undefined =>
  // Written by `saveResults` and committed.
  existsSync(LATEST) ? (JSON.parse(readFileSync(LATEST, 'utf8')) as Results) : undefined;
