import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const FILE = new URL('pictures.json', import.meta.url);
const PARTS = 16;

interface Picture {
  /** The brightness of each part of the window, from 0 to 15 as hexadecimal digits: what is where, but no letters. */
  readonly parts: string;
  /** ` ja` for a script of its own, else empty. */
  readonly language: string;
  /** The widths of words of the page in its fonts: not every machine has fonts of all scripts. */
  readonly fonts: string;
}

/** Words of the scripts in which pages are compared. */
const WORDS: Readonly<Record<string, string>> = {
  ar: 'تسجيل الخروج',
  ja: 'ログイン中のブラウザー',
};

const screenshotOf = (page: Page): Promise<Buffer> => page.screenshot({ caret: 'hide' });

const pictureOf = async (page: Page, file?: Buffer): Promise<Picture> => {
  const language = await page.evaluate<string>('document.documentElement.lang');
  const words = WORDS[language] ?? 'Allow Photo Album to access your account?';
  // A page of its own, because the content security policy of the page forbids to read the picture there.
  const reader = await page.context().newPage();
  const picture = (file ?? (await screenshotOf(page))).toString('base64');
  const found = await reader.evaluate<Picture>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const drawing = new OffscreenCanvas(${PARTS}, ${PARTS}).getContext('2d');
    drawing.imageSmoothingQuality = 'high';
    drawing.drawImage(image, 0, 0, ${PARTS}, ${PARTS});
    const { data } = drawing.getImageData(0, 0, ${PARTS}, ${PARTS});
    let parts = '';
    for (let at = 0; at < data.length; at += 4)
      parts += Math.floor((data[at] * 0.3 + data[at + 1] * 0.59 + data[at + 2] * 0.11) / 16).toString(16);
    const widths = ['system-ui', 'ui-monospace, monospace'].map((font) => {
      drawing.font = '16px ' + font;
      return Math.round(drawing.measureText(${JSON.stringify(words)}).width);
    });
    return { parts, language: '${WORDS[language] === undefined ? '' : ` ${language}`}', fonts: widths.join() };
  })()`);
  await reader.close();
  return found;
};

/** By name; `fonts` are those that the pictures were made with, and `fonts ja` those of a script. */
const read = (): Record<string, string> => JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>;
const known = read();

/** A caret or a random code on the machine of the pictures, and letters of another width elsewhere, stay below it. */
const LIMITS = { same: 0.08, other: 1 };

/** The average difference of the parts of two pictures, if that is too much for the fonts of this machine. */
const tooFar = (name: string, { parts: now, language, fonts }: Picture, before: string): string | undefined => {
  const parts = [...now].map((digit, at) =>
    Math.abs(Number.parseInt(digit, 16) - Number.parseInt(before[at] ?? 'f', 16)),
  );
  const average = parts.reduce((sum, one) => sum + one, 0) / parts.length;
  const limit = fonts === known[`fonts${language}`] ? LIMITS.same : LIMITS.other;
  return average < limit ? undefined : `${name}: differs by ${average.toFixed(2)}, more than ${limit}`;
};

/**
 * How the window differs from the picture with this name: the average over its parts, each from 0 to 15, if that is too much. A card that moves,
 * a colour or a palette that is not applied are too much. `UPDATE_PICTURES=1` keeps the new picture instead.
 */
export const differs = async (page: Page, name: string): Promise<string | undefined> => {
  const { parts: now, language, fonts } = await pictureOf(page);
  if (process.env['UPDATE_PICTURES'] === '1') {
    const all = Object.entries({ ...read(), [name]: now, [`fonts${language}`]: fonts }).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
    return undefined;
  }
  return tooFar(name, { parts: now, language, fonts }, known[name] ?? '');
};

/** The same for a picture that the documents show. `UPDATE_PICTURES=1` writes the file instead. */
export const differsFromFile = async (page: Page, path: string): Promise<string | undefined> => {
  const now = await screenshotOf(page);
  if (process.env['UPDATE_PICTURES'] === '1') {
    writeFileSync(path, now);
    return undefined;
  }
  const before = await pictureOf(page, readFileSync(path));
  return tooFar(path, await pictureOf(page, now), before.parts);
};
