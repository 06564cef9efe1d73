import type { Module, Parameter } from './catalogue.js';
import { element, freshId, isAnswered } from './dom.js';
import { type Field, makeField } from './field.js';
import type { Values } from './request.js';
import { say } from './texts.js';

/** The ways to select the pages of a query. */
const SOURCES = [
  ['', say('noPages')],
  ['titles', say('byTitles')],
  ['pageids', say('byPageIds')],
  ['revids', say('byRevisionIds')],
  ['generator', say('byGenerator')],
] as const;

/** Parameters that apply to pages selected in any way. */
const MODIFIERS = ['redirects', 'converttitles'];

/** The parameters of `action=query` that this part of the form contains. */
export const PAGE_PARAMETERS: readonly string[] = [...SOURCES.map(([name]) => name), ...MODIFIERS];

/** The selection of the pages of a query. */
export class PageSource {
  readonly #radios = new Map<string, HTMLInputElement>();
  readonly #fields: readonly Field[];

  /** @param query - The description of `action=query`. */
  constructor(section: HTMLElement, query: Module, onChange: () => void) {
    this.#fields = query.parameters
      .filter(({ name }) => PAGE_PARAMETERS.includes(name))
      .map((parameter) => makeField(parameter.name, offered(parameter), [], onChange));
    const group = freshId('source');
    const choices = SOURCES.filter(([name]) => name === '' || this.#field(name) !== undefined).map(([name, label]) => {
      const input = element('input', { type: 'radio', name: group, value: name, checked: name === '' });
      input.addEventListener('change', () => {
        this.#refresh();
        onChange();
      });
      this.#radios.set(name, input);
      return element('label', { class: 'box' }, input, ' ', label);
    });
    section.append(
      element('fieldset', { class: 'choices' }, element('legend', {}, say('pagesToQuery')), ...choices),
      element('div', { class: 'fields' }, ...this.#fields.map((field) => field.element)),
    );
    this.#refresh();
  }

  /** The generator, if one is selected. */
  get generator(): string | undefined {
    const value = this.#chosen === 'generator' ? this.#field('generator')?.read() : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  get fields(): readonly Field[] {
    const chosen = this.#chosen;
    return chosen === '' ? [] : this.#fields.filter(({ name }) => name === chosen || MODIFIERS.includes(name));
  }

  get values(): Values {
    return this.fields.flatMap((field) => {
      const value = field.read();
      return value === undefined ? [] : [[field.name, value] as const];
    });
  }

  write(values: ReadonlyMap<string, string>): void {
    const source = SOURCES.find(([name]) => values.has(name))?.[0] ?? '';
    const radio = this.#radios.get(source);
    if (radio) radio.checked = true;
    for (const field of this.#fields) field.write(values.get(field.name));
    this.#refresh();
  }

  clearGenerator(): void {
    this.#field('generator')?.write(undefined);
  }

  get #chosen(): string {
    return [...this.#radios].find(([, input]) => input.checked)?.[0] ?? '';
  }

  #field(name: string): Field | undefined {
    return this.#fields.find((field) => field.name === name);
  }

  #refresh(): void {
    const shown = this.fields;
    for (const field of this.#fields) field.element.hidden = !shown.includes(field);
  }
}

/** Without generators that are not available on this site. */
const offered = (parameter: Parameter): Parameter => {
  const { name, type } = parameter;
  return name === 'generator' && typeof type !== 'string' ? { ...parameter, type: type.filter(isAnswered) } : parameter;
};
