const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that means itself in HTML, in an element as in a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (mark) => ESCAPES[mark] ?? mark);

/** HTML that is known to be well made. Only {@link markup} makes it. */
export class Html {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Part = Html | string | number | undefined | readonly Part[];

const render = (part: Part): string => {
  if (part instanceof Html) return part.source;
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return part === undefined ? '' : part.map(render).join('');
};

/** A template that escapes every text put into it; what other templates made goes in as it is. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + render(parts[index])).join(''));

/** A list of remarks; nothing when there is none. */
export const factList = (facts: readonly (Html | string)[]): Html | undefined =>
  facts.length === 0 ? undefined : markup`<ul class="facts">${facts.map((fact) => markup`<li>${fact}</li>`)}</ul>`;
