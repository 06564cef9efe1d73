/** The only form that we look for on a page: where it posts to, and what it holds already. */
export interface PageForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

const unescape = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescape(value);
};

/**
 * Reads a form of a page as a browser would, buttons aside.
 *
 * @param wanted - Something that the form has in it, where a page has several.
 */
export const formOf = (html: string, wanted = ''): PageForm => {
  const form = html.match(/<form[^>]*>.*?<\/form>/gs)?.find((text) => text.includes(wanted));
  if (form === undefined) throw new Error(`There is no form with ${JSON.stringify(wanted)} on this page:\n${html}`);
  const fields: Record<string, string> = {};
  for (const tag of form.match(/<input[^>]*>/g) ?? []) {
    const name = attribute(tag, 'name');
    if (name !== undefined) fields[name] = attribute(tag, 'value') ?? '';
  }
  return { action: attribute(form, 'action') ?? '', fields };
};
