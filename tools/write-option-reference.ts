/** Writes `docs/options.md` from the tables that validate options; part of `npm run reference`. */
import { writeFileSync } from 'node:fs';
import { optionReference } from './option-reference.js';

writeFileSync(new URL('../docs/options.md', import.meta.url), await optionReference());
