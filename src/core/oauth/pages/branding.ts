import { isPath, isPicture, urlProblem } from '../../base/addresses.js';
import { either, fail, object, refined, required, type Schema, text, value } from '../../base/schema.js';
import { contrastOf, isColor, MIN_CONTRAST, lightened } from './contrast.js';
import { type AccentColors, PALETTES } from './style.js';

/** What makes the pages those of a site. */
export interface Branding {
  /** The name of the site; the host of the `issuer` if absent. Pages show the host beside it. */
  readonly name?: string;
  /** A picture: a `data:` URL, a path of this host such as `/logo.svg`, or an https address. */
  readonly logo?: string;
  /**
   * The colour of buttons and links, such as `#2350c5`, and that of the dark palette; without one it is made of the first. Each is refused
   * where text in it or on it could not be read (WCAG 2.2 AA).
   */
  readonly color?: string | AccentColors;
  /** Pages of yours that each page links to. */
  readonly links?: BrandingLinks;
}

/** Addresses of the host: https, or paths of this host such as `/privacy`. */
export interface BrandingLinks {
  /** Where the name of the site leads, and the way back from an error; `/` if absent. */
  readonly home?: string;
  /** What you do with what you learn about people. */
  readonly privacy?: string;
  /** Your terms of service. */
  readonly terms?: string;
  /** Where people are helped. */
  readonly help?: string;
}

const isAddress = (given: unknown): boolean => isPath(given) || urlProblem(given) === undefined;

const address = value<string>("an https address, or a path of this host such as '/privacy'", isAddress);
const color = value<string>("a colour such as '#2350c5'", isColor);

/** What text has around it, by palette: the colour is that of links on these, and of buttons under this text. */
const AROUND = {
  light: { 'the background of links': ['card', 'note-back'], 'the text of buttons': ['on-accent'] },
  dark: { 'the background of links': ['card', 'note-back'], 'the text of buttons': ['on-accent'] },
} as const;

const checkContrast = (accent: string, palette: keyof AccentColors, path: string): void => {
  for (const [what, names] of Object.entries(AROUND[palette])) {
    for (const name of names) {
      const other = PALETTES[palette][name];
      const ratio = contrastOf(accent, other);
      if (ratio < MIN_CONTRAST)
        fail(
          `${path}: ${accent} has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1 with ${other}, ${what} in the ${palette} palette; WCAG AA needs ${MIN_CONTRAST}:1. Choose a ${palette === 'light' ? 'darker' : 'lighter'} colour.`,
        );
    }
  }
};

const { card, 'note-back': noteBack, 'on-accent': onAccent } = PALETTES.dark;

/** The accents, checked: one colour alone is that of the light palette. */
const accentsOf = (given: string | AccentColors, path: string): AccentColors => {
  if (typeof given === 'string') {
    checkContrast(given, 'light', path);
    return { light: given, dark: lightened(given, [card, noteBack, onAccent]) };
  }
  checkContrast(given.light, 'light', `${path}.light`);
  checkContrast(given.dark, 'dark', `${path}.dark`);
  return given;
};

const links = { home: address, privacy: address, terms: address, help: address } satisfies Schema<BrandingLinks>;

/** The option as it is checked. */
export const BRANDING_OPTIONS = {
  name: text('text that is not empty'),
  logo: value<string>(
    "a data: URL of a picture (at most 64 KiB), a path of this host such as '/logo.svg', or an https address",
    (given) => isPicture(given) || isAddress(given),
  ),
  color: refined(either(color, object({ light: required(color), dark: required(color) })), accentsOf),
  links: object(links),
} satisfies Schema<Branding>;

/** Where a content security policy lets a picture come from. */
export const imageSource = (picture: string): string =>
  picture.startsWith('data:') ? 'data:' : isPath(picture) ? "'self'" : new URL(picture).origin;
