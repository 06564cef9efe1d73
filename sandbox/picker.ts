import { element, filterField, freshId } from './dom.js';
import { say } from './texts.js';

/** The three kinds of modules of a query, in the order in which they are sent. */
export const GROUPS = ['prop', 'list', 'meta'] as const;
export type Group = (typeof GROUPS)[number];

interface Entry {
  readonly group: Group;
  readonly name: string;
  readonly row: HTMLElement;
  readonly input: HTMLInputElement;
}

/** Turns the page's list of modules into checkboxes. */
export class Picker {
  readonly #entries: readonly Entry[];
  readonly #groups: readonly HTMLDetailsElement[];

  constructor(section: HTMLElement, onChange: () => void) {
    this.#groups = [...section.querySelectorAll('details')];
    this.#entries = this.#groups.flatMap((details) => {
      const group = GROUPS.find((name) => name === details.dataset['group']);
      if (group === undefined) return [];
      return [...details.querySelectorAll('li')].map((row) => entryOf(group, row, onChange));
    });
    section.querySelector('#examples')?.after(filterField(say('findModule'), (wanted) => this.#filter(wanted)));
    for (const details of this.#groups) details.open = details.dataset['group'] === 'list';
  }

  /** The selected modules of a group, in the order of the page. */
  chosen(group: Group): readonly string[] {
    return this.#entries.filter((entry) => entry.group === group && entry.input.checked).map(({ name }) => name);
  }

  /** Selects exactly these modules. Returns the names that the page does not list. */
  choose(group: Group, names: readonly string[]): readonly string[] {
    const entries = this.#entries.filter((entry) => entry.group === group);
    for (const { name, input } of entries) input.checked = names.includes(name);
    if (names.length > 0) this.#groups.find(({ dataset }) => dataset['group'] === group)?.setAttribute('open', '');
    const first = entries.find(({ input }) => input.checked)?.row;
    const list = first?.closest<HTMLElement>('.modules');
    // Only the list scrolls, not the page.
    if (first && list) list.scrollTop = first.offsetTop - list.offsetTop;
    return names.filter((name) => !entries.some((entry) => entry.name === name));
  }

  #filter(wanted: string): void {
    for (const { row } of this.#entries) row.hidden = !(row.textContent ?? '').toLowerCase().includes(wanted);
    if (wanted !== '') for (const details of this.#groups) details.open = true;
  }
}

const entryOf = (group: Group, row: HTMLElement, onChange: () => void): Entry => {
  const name = row.querySelector('code')?.textContent ?? '';
  row.dataset['module'] = name;
  const id = freshId(`${group}-${name}`);
  const input = element('input', { type: 'checkbox', id, 'aria-describedby': `${id}-text` });
  input.addEventListener('change', onChange);
  row.querySelector('a')?.replaceWith(input, ' ', element('label', { for: id }, element('code', {}, name)));
  const text = row.querySelector('span');
  if (text) text.id = `${id}-text`;
  return { group, name, row, input };
};
