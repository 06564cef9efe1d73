import type { Module, Namespace, Parameter } from './catalogue.js';
import { button, element, filterField } from './dom.js';
import { expandedNames } from './facts.js';
import { type Field, makeField } from './field.js';
import { splitValues, type Values } from './request.js';
import { ENGLISH, say } from './texts.js';

/** Options of a module in the form. */
export interface FormOptions {
  /** The heading above the fields. */
  readonly title: string;
  /** The prefix of the parameter names. */
  readonly prefix: string;
  /** The URL of the help page. */
  readonly help: string;
  readonly namespaces: readonly Namespace[];
  /** Parameters that are not shown. */
  readonly without?: ReadonlySet<string>;
  /** Whether the fields are collapsed at first. */
  readonly folded?: boolean;
  readonly onChange: () => void;
  /** Removes the module from the request, if it can be removed. */
  readonly onRemove?: () => void;
}

/** Modules with more parameters have a filter. */
const FEW = 6;

/** The fields of one module. */
export class ModuleForm {
  readonly element: HTMLElement;
  readonly #options: FormOptions;
  readonly #fields: readonly Field[];
  readonly #templates: readonly Parameter[];
  readonly #grid = element('div', { class: 'fields' });
  readonly #rows = element('div', { class: 'fields' });
  /** Fields of templated parameters. They are reused if a value is removed and added again. */
  readonly #made = new Map<string, Field>();
  #templated: readonly Field[] = [];
  #filter = '';

  constructor(module: Module, options: FormOptions) {
    this.#options = options;
    this.#templates = module.templatedparameters;
    this.#fields = module.parameters
      .filter(({ name }) => options.without?.has(name) !== true)
      .sort((a, b) => Number(b.required === true) - Number(a.required === true))
      .map((parameter) => this.#field(parameter, options.prefix + parameter.name));
    this.#grid.append(...this.#fields.map((field) => field.element));
    this.element = this.#layOut(module);
    this.#refreshTemplated();
  }

  /** The fields that are currently shown. */
  get fields(): readonly Field[] {
    return [...this.#fields, ...this.#templated];
  }

  /** The values of the fields. */
  get values(): Values {
    return this.fields.flatMap((field) => {
      const value = field.read();
      return value === undefined ? [] : [[field.name, value] as const];
    });
  }

  /** Sets the fields to these values, and clears the others. */
  write(values: ReadonlyMap<string, string>): void {
    for (const field of this.#fields) field.write(values.get(field.name));
    this.#refreshTemplated();
    for (const field of this.#templated) field.write(values.get(field.name));
    if (this.values.length > 0 && this.element instanceof HTMLDetailsElement) this.element.open = true;
  }

  #field(parameter: Parameter, name: string): Field {
    return makeField(name, parameter, this.#options.namespaces, () => {
      this.#refreshTemplated();
      this.#options.onChange();
    });
  }

  #layOut(module: Module): HTMLElement {
    const { title, help, folded, onRemove } = this.#options;
    const note = module.deprecated === true ? element('span', { class: 'flag' }, say('deprecated')) : undefined;
    const content = [
      element(
        'p',
        {},
        element('span', ENGLISH, module.description ?? ''),
        ' ',
        element('a', { href: help }, say('helpFor', { title })),
      ),
      this.#fields.length > FEW
        ? filterField(say('findParameter', { title }), (wanted) => this.#narrow(wanted))
        : undefined,
      this.#fields.length === 0 ? element('p', { class: 'facts' }, say('noParameters')) : this.#grid,
      this.#rows,
      onRemove && button(say('remove', { title }), onRemove, { class: 'link' }),
    ];
    return element(
      'details',
      { class: 'module', open: folded !== true },
      element('summary', {}, element('h3', {}, element('code', {}, title)), note),
      ...content,
    );
  }

  #narrow(wanted: string): void {
    this.#filter = wanted;
    this.#applyFilter();
  }

  #applyFilter(): void {
    for (const { name, parameter, element: shown } of this.fields) {
      const text = `${name} ${parameter.description ?? ''}`.toLowerCase();
      shown.hidden = !text.includes(this.#filter);
    }
  }

  #refreshTemplated(): void {
    const valuesOf = (source: string): readonly string[] => {
      const field = this.#fields.find(({ parameter }) => parameter.name === source);
      const value = field?.read();
      if (value === undefined || value === true || field === undefined) return [];
      const { type, allspecifier } = field.parameter;
      if (value === allspecifier && typeof type !== 'string') return type;
      return typeof value === 'string' ? splitValues(value) : value;
    };
    this.#templated = this.#templates.flatMap((template) =>
      expandedNames(template, valuesOf).map((bare) => {
        const name = this.#options.prefix + bare;
        const field = this.#made.get(name) ?? this.#field(template, name);
        this.#made.set(name, field);
        return field;
      }),
    );
    const wanted = this.#templated.map((field) => field.element);
    const present = [...this.#rows.children];
    if (wanted.length !== present.length || wanted.some((one, index) => one !== present[index])) {
      this.#rows.replaceChildren(...wanted);
      this.#applyFilter();
    }
  }
}
