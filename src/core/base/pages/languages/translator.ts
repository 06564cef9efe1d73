import { type Direction, directionOf } from '../../direction.js';
import { type Html, html, type HtmlPart } from '../../html.js';
import { english, type PageTextName, type PluralText } from './english.js';

/** The values in a text: its `{count}`, and those of other placeholders. */
type TextValues = Readonly<Record<string, HtmlPart>>;

/** A split text, with the names of placeholders at odd indexes. */
const split = (text: string): readonly string[] => text.split(/\{(\w+)\}/);

/** The placeholders of a text, in order. */
export const placeholders = (text: string): readonly string[] => split(text).filter((_part, index) => index % 2 === 1);

/** The texts of the pages in one language, ready to be filled in. Formatters are created when they are needed, because that takes milliseconds. */
export class Translator<Name extends string = PageTextName> {
  /** A BCP 47 tag, such as `pt-BR`. */
  readonly locale: string;
  readonly #texts: Readonly<Record<Name, string | PluralText>>;
  #dir: Direction | undefined;
  #plurals: Intl.PluralRules | undefined;
  #numbers: Intl.NumberFormat | undefined;
  #days: Intl.DateTimeFormat | undefined;
  #minutes: Intl.DateTimeFormat | undefined;

  constructor(locale: string, texts: Readonly<Record<Name, string | PluralText>>) {
    this.locale = locale;
    this.#texts = texts;
  }

  get dir(): Direction {
    return (this.#dir ??= directionOf(this.locale));
  }

  /** Attributes of what is English in every language, such as the description of a module. */
  get inEnglish(): Html | undefined {
    return this.locale.startsWith('en') ? undefined : html` lang="en" dir="ltr"`;
  }

  /** Texts as they are, for a script that fills them in: a line for each, such as `stop=Stop`, or for each plural form, such as `days.one={count} day`. */
  source(names: readonly Name[]): string {
    const all = names.flatMap((name) => {
      const text: string | PluralText = this.#texts[name];
      if (typeof text === 'string') return [`${name}=${text}`];
      return Object.entries(text).map(([form, one]) => `${name}.${form}=${one}`);
    });
    return all.join('\n');
  }

  /** A text for a page. Names and other untrusted texts are isolated, so that their direction does not affect the sentence. */
  html(name: Name, values: TextValues = {}): Html {
    const parts = split(this.#textOf(name, values)).map((part, index): HtmlPart => {
      if (index % 2 === 0) return part;
      const value = values[part];
      if (typeof value === 'number') return this.#number(value);
      return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value;
    });
    return html`${parts}`;
  }

  /** A text without elements, for a title or an error: in one line, without control characters, which window titles show as boxes. */
  text(name: Name, values: Readonly<Record<string, string | number>> = {}): string {
    return this.lines(name, values).join(' ');
  }

  /** The lines of such a text; of an error, the first is the heading, and the second says what to do. */
  lines(name: Name, values: Readonly<Record<string, string | number>> = {}): readonly string[] {
    const parts = split(this.#textOf(name, values)).map((part, index) => {
      if (index % 2 === 0) return part;
      const value = values[part] ?? '';
      return typeof value === 'number' ? this.#number(value) : value;
    });
    return parts.join('').split('\n');
  }

  /** @param seconds - Since the epoch. */
  day(seconds: number): Html {
    const time = new Date(seconds * 1000);
    this.#days ??= new Intl.DateTimeFormat(this.locale, { dateStyle: 'long', timeZone: 'UTC' });
    return html`<time datetime="${time.toISOString()}">${this.#days.format(time)}</time>`;
  }

  /** A day with its time, in UTC. @param seconds - Since the epoch. */
  minute(seconds: number): Html {
    const time = new Date(seconds * 1000);
    this.#minutes ??= new Intl.DateTimeFormat(this.locale, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    });
    return html`<time datetime="${time.toISOString()}">${this.#minutes.format(time)}</time>`;
  }

  #number(value: number): string {
    this.#numbers ??= new Intl.NumberFormat(this.locale);
    return this.#numbers.format(value);
  }

  #textOf(name: Name, { count }: TextValues): string {
    const text = this.#texts[name];
    if (typeof text === 'string') return text;
    this.#plurals ??= new Intl.PluralRules(this.locale);
    return text[this.#plurals.select(typeof count === 'number' ? count : 0)] ?? text.other;
  }
}

/** The language that is always available: for events, and if no other matches. */
export const IN_ENGLISH = new Translator(english.locale, english.texts);
