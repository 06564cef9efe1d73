import { isPath, isPicture, urlProblem } from '../addresses/request-addresses.js';
import { fail, object, refined, type Schema, text, value } from '../schema.js';
import { contrastOf, isColor, MIN_CONTRAST, lightened } from './contrast.js';
import { type AccentColors, PALETTES } from './style.js';

/** The brand of the pages. */
export interface Branding {
  /** The name of the site; the host of the `issuer` if absent. Pages show it with the host. */
  readonly name?: string | undefined;
  /** An image: a `data:` URL, a path of this host such as `/logo.svg`, or an https URL. */
  readonly logo?: string | undefined;
  /**
   * The colour of buttons and links, such as `#2350c5`, lightened for the dark palette. Rejected if its contrast is too
   * low (WCAG 2.2 AA).
   */
  readonly color?: string | undefined;
  /** Your pages that every page links to. */
  readonly links?: BrandingLinks | undefined;
}

/** https URLs, or paths of this host such as `/privacy`. */
interface BrandingLinks {
  /** The link of the site's name, and the way back from an error; `/` if absent. */
  readonly home?: string | undefined;
  /** Your privacy policy. */
  readonly privacy?: string | undefined;
  /** Your terms of service. */
  readonly terms?: string | undefined;
  /** Your help page. */
  readonly help?: string | undefined;
  /** Your page for users who have forgotten their password, on the sign-in page. */
  readonly forgotPassword?: string | undefined;
  /** Your page for new users, on the sign-in page. */
  readonly createAccount?: string | undefined;
}

const isAddress = (given: unknown): boolean => isPath(given) || urlProblem(given) === undefined;

const address = value<string>("an https address, or a path of this host such as '/privacy'", isAddress);
const color = value<string>("a colour such as '#2350c5'", isColor);

/** The surroundings of text in the light palette: the colour is that of links on these backgrounds, and of buttons under this text. */
const AROUND = { 'the background of links': ['card', 'note-back'], 'the text of buttons': ['on-accent'] } as const;

const checkContrast = (accent: string, path: string): void => {
  for (const [what, names] of Object.entries(AROUND)) {
    for (const name of names) {
      const other = PALETTES.light[name];
      const ratio = contrastOf(accent, other);
      if (ratio < MIN_CONTRAST)
        fail(
          `${path}: ${accent} has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1 with ${other}, ${what} in the light palette; WCAG AA needs ${MIN_CONTRAST}:1. Choose a darker colour.`,
        );
    }
  }
};

const { card, 'note-back': noteBack, 'on-accent': onAccent } = PALETTES.dark;

/** The accents of both palettes. */
const accentsOf = (light: string, path: string): AccentColors => {
  checkContrast(light, path);
  return { light, dark: lightened(light, [card, noteBack, onAccent]) };
};

const links = {
  home: address,
  privacy: address,
  terms: address,
  help: address,
  forgotPassword: address,
  createAccount: address,
} satisfies Schema<BrandingLinks>;

/** The brand, validated. */
export interface CheckedBranding extends Pick<Branding, 'name' | 'logo'> {
  /** The colour of each palette. */
  readonly color?: AccentColors;
  /** Absent ones are not shown. */
  readonly links: BrandingLinks;
}

/** The validation of the option. */
export const BRANDING_OPTIONS = {
  name: text('a non-empty string'),
  logo: value<string>(
    "a data: URL of a picture (at most 64 KiB), a path of this host such as '/logo.svg', or an https address",
    (given) => isPicture(given) || isAddress(given),
  ),
  color: refined(color, accentsOf),
  links: object(links),
} satisfies Schema<Branding>;

/** The source of an image for a content security policy. */
export const imageSource = (picture: string): string =>
  picture.startsWith('data:') ? 'data:' : isPath(picture) ? "'self'" : new URL(picture).origin;
