/** Writes the drawings in `docs/pictures`. `test/browser/documents.browser.test.ts` takes the pictures of pages. */
import { writeFileSync } from 'node:fs';
import { pictures } from './pictures.js';

for (const [name, svg] of pictures()) writeFileSync(`docs/pictures/${name}`, svg);
