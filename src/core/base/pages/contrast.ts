/** A colour as its three channels from 0 to 255. */
type Channels = readonly [red: number, green: number, blue: number];

/** The minimum ratio for text (WCAG 2.2, success criterion 1.4.3, level AA). */
export const MIN_CONTRAST = 4.5;

/** Reads `#rgb` and `#rrggbb`; `undefined` for anything else. */
const channelsOf = (color: string): Channels | undefined => {
  const [, digits] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color) ?? [];
  if (digits === undefined) return undefined;
  const width = digits.length / 3;
  const channel = (index: number): number => {
    const part = digits.slice(index * width, (index + 1) * width);
    return Number.parseInt(width === 1 ? part + part : part, 16);
  };
  return [channel(0), channel(1), channel(2)];
};

export const isColor = (given: unknown): given is string =>
  typeof given === 'string' && channelsOf(given) !== undefined;

/** @see {@link https://www.w3.org/TR/WCAG22/#dfn-relative-luminance | WCAG 2.2, relative luminance} */
const luminanceOf = (color: string): number => {
  const linear = (channel: number): number => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const [red, green, blue] = channelsOf(color) ?? [0, 0, 0];
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};

/** From 1 to 21. */
export const contrastOf = (one: string, other: string): number => {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

const hex = (channel: number): string => Math.round(channel).toString(16).padStart(2, '0');

/** The colour, lightened as little as necessary to be readable on all of these. */
export const lightened = (color: string, backgrounds: readonly string[]): string => {
  const channels = channelsOf(color) ?? [0, 0, 0];
  for (let white = 0; white < 1; white += 0.05) {
    const mixed = `#${channels.map((channel) => hex(channel + (255 - channel) * white)).join('')}`;
    if (backgrounds.every((background) => contrastOf(mixed, background) >= MIN_CONTRAST)) return mixed;
  }
  return '#ffffff';
};
