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

/** The channels as amounts of light, from 0 to 1. */
const linearOf = (color: string): Channels => {
  const linear = (channel: number): number => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  const [red, green, blue] = channelsOf(color) ?? [0, 0, 0];
  return [linear(red), linear(green), linear(blue)];
};

/** @see {@link https://www.w3.org/TR/WCAG22/#dfn-relative-luminance | WCAG 2.2, relative luminance} */
const luminanceOf = (color: string): number => {
  const [red, green, blue] = linearOf(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** From 1 to 21. */
export const contrastOf = (one: string, other: string): number => {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

/** A colour as the eye sees it: lightness, and how much red (or green) and yellow (or blue) it has. */
type Oklab = readonly [lightness: number, red: number, yellow: number];

/** @see {@link https://www.w3.org/TR/css-color-4/#ok-lab | CSS Color 4, Oklab} */
const oklabOf = (color: string): Oklab => {
  const [r, g, b] = linearOf(color);
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
};

/** The colour on a screen, `undefined` if no screen of sRGB has it. */
const fromOklab = ([lightness, red, yellow]: Oklab): string | undefined => {
  const long = (lightness + 0.3963377774 * red + 0.2158037573 * yellow) ** 3;
  const medium = (lightness - 0.1055613458 * red - 0.0638541728 * yellow) ** 3;
  const short = (lightness - 0.0894841775 * red - 1.291485548 * yellow) ** 3;
  const light: Channels = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
  if (light.some((channel) => channel < -0.001 || channel > 1.001)) return undefined;
  const hex = (channel: number): string => {
    const part = Math.min(1, Math.max(0, channel));
    const encoded = part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${light.map(hex).join('')}`;
};

const STEP = 0.02;

/**
 * The colour, lightened as little as necessary to be readable on all of these. It keeps its hue, and as much of its strength as a colour that
 * light can have: mixed with white, a dark green would become grey.
 */
export const lightened = (color: string, backgrounds: readonly string[]): string => {
  const isReadable = (one: string): boolean =>
    backgrounds.every((background) => contrastOf(one, background) >= MIN_CONTRAST);
  if (isReadable(color)) return color;
  const [lightness, red, yellow] = oklabOf(color);
  for (let light = lightness + STEP; light < 1; light += STEP)
    for (let strength = 1; strength >= 0; strength -= STEP) {
      const one = fromOklab([light, red * strength, yellow * strength]);
      if (one === undefined) continue;
      if (isReadable(one)) return one;
      break;
    }
  return '#ffffff';
};
