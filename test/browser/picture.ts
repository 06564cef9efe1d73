import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const FILE = new URL('pictures.json', import.meta.url);
const ROWS = 16;

/** The brightness of each part of a window, from 0 to 15 as hexadecimal digits: what is where, but no letters, which differ from machine to machine. */
const pictureOf = async (page: Page): Promise<string> => {
  // Only the reader of the picture may use a canvas, so the content security policy of the page does not matter.
  const reader = await page.context().newPage();
  const picture = (await page.screenshot()).toString('base64');
  const digits = await reader.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const canvas = new OffscreenCanvas(${ROWS}, ${ROWS});
    const drawing = canvas.getContext('2d');
    drawing.imageSmoothingQuality = 'high';
    drawing.drawImage(image, 0, 0, ${ROWS}, ${ROWS});
    const { data } = drawing.getImageData(0, 0, ${ROWS}, ${ROWS});
    let digits = '';
    for (let at = 0; at < data.length; at += 4)
      digits += Math.floor((data[at] * 0.3 + data[at + 1] * 0.59 + data[at + 2] * 0.11) / 16).toString(16);
    return digits;
  })()`);
  await reader.close();
  return digits;
};

const known = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>;

/**
 * How much the window differs from the picture with this name, as the average over its parts, each from 0 to 15. `UPDATE_PICTURES=1` keeps
 * the new picture instead.
 */
export const difference = async (page: Page, name: string): Promise<number> => {
  const now = await pictureOf(page);
  if (process.env['UPDATE_PICTURES'] === '1') {
    const all = { ...(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>), [name]: now };
    const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    return 0;
  }
  const before = known[name] ?? '';
  const parts = [...now].map((digit, at) =>
    Math.abs(Number.parseInt(digit, 16) - Number.parseInt(before[at] ?? 'f', 16)),
  );
  return parts.reduce((sum, one) => sum + one, 0) / parts.length;
};

/** A different font or text stays below it; a card that moved, a missing colour or a palette that is not applied does not. */
export const MAX_DIFFERENCE = 0.7;
