/** A form of a page as a browser without JavaScript sees it. */
export interface PageForm {
  readonly action: string;
  readonly method: string;
  /** Every input with its value. */
  readonly fields: Readonly<Record<string, string>>;
  /** The `name=value` of each button that has them. */
  readonly buttons: readonly string[];
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of HTML without tags. */
export const unescapeHtml = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => CHARACTERS[name] ?? '');

const attributesOf = (tag: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tag.matchAll(/\s([a-z-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeHtml(value)]),
  );

const readForm = (form: string): PageForm => {
  const { action = '', method = 'get' } = attributesOf(/<form[^>]*>/.exec(form)?.[0] ?? '');
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([tag]) => attributesOf(tag));
  const buttons = [...form.matchAll(/<button[^>]*>/g)].map(([tag]) => attributesOf(tag));
  return {
    action,
    method,
    fields: Object.fromEntries(
      inputs.flatMap(({ name, value = '' }) => (name === undefined ? [] : [[name, value] as const])),
    ),
    buttons: buttons.flatMap(({ name, value }) => (name === undefined ? [] : [`${name}=${value ?? ''}`])),
  };
};

const formTexts = (html: string): readonly string[] => html.match(/<form[^>]*>[^]*?<\/form>/g) ?? [];

/**
 * The first form of a page.
 *
 * @param wanted - A text in that form, for a page with several.
 */
export const formOf = (html: string, wanted = ''): PageForm => {
  const form = formTexts(html).find((text) => text.includes(wanted));
  if (form === undefined) throw new Error(`There is no form with ${JSON.stringify(wanted)} on this page:\n${html}`);
  return readForm(form);
};

/** The form of a page that must have exactly one, with buttons elsewhere. A hidden form, for such a button, only counts alone. */
export const onlyFormOf = (html: string): PageForm => {
  const all = formTexts(html);
  const shown = all.length > 1 ? all.filter((text) => !/^<form[^>]* hidden>/.test(text)) : all;
  const [form, ...others] = shown;
  if (form === undefined || others.length > 0)
    throw new Error(`There are ${shown.length} forms on this page:\n${html}`);
  const elsewhere = html.match(/<button form="[^>]*>/g) ?? [];
  return readForm(form + elsewhere.join(''));
};
