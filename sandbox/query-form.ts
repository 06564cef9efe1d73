import type { Catalogue, Module } from './catalogue.js';
import { element } from './dom.js';
import type { Field } from './field.js';
import { ModuleForm } from './module-form.js';
import { PAGE_PARAMETERS, PageSource } from './page-source.js';
import { type Group, GROUPS, Picker } from './picker.js';
import { splitValues, type Values } from './request.js';
import { say } from './texts.js';

/** The elements of the page that contain the form. */
export interface Places {
  readonly modules: HTMLElement;
  readonly pages: HTMLElement;
  readonly parameters: HTMLElement;
  readonly more: HTMLElement;
}

/** `modules`: the selected modules have changed; `values`: only their values have. */
export type Change = 'modules' | 'values';

interface Chosen {
  readonly path: string;
  readonly title: string;
  /** The `g` before parameters of the generator. */
  readonly lead: string;
  readonly remove: () => void;
}

/** Parameters that the page sets. */
const SETTLED = new Set(['action', 'format', 'callback']);
const IN_QUERY = new Set<string>([...GROUPS, ...PAGE_PARAMETERS]);

/** The sandbox requests version 2, so its form shows that as the default. */
const asSent = (json: Module): Module => ({
  ...json,
  parameters: json.parameters.map((one) => (one.name === 'formatversion' ? { ...one, default: '2' } : one)),
});

/** The form of a query. */
export class QueryForm {
  readonly #catalogue: Catalogue;
  readonly #places: Places;
  readonly #help: (path: string) => string;
  readonly #onChange: (change: Change) => void;
  readonly #picker: Picker;
  readonly #source: PageSource;
  /** Forms that are always shown. */
  readonly #common: readonly ModuleForm[];
  readonly #forms = new Map<string, ModuleForm>();
  #shown: readonly ModuleForm[] = [];
  #arranging = 0;

  private constructor(
    catalogue: Catalogue,
    places: Places,
    [main, query, json]: readonly [Module, Module, Module],
    help: (path: string) => string,
    onChange: (change: Change) => void,
  ) {
    this.#catalogue = catalogue;
    this.#places = places;
    this.#help = help;
    this.#onChange = onChange;
    this.#picker = new Picker(places.modules, () => void this.#changed());
    this.#source = new PageSource(places.pages, query, () => void this.#changed());
    const common = (module: Module, title: string, without: ReadonlySet<string>): ModuleForm =>
      new ModuleForm(module, {
        title,
        without,
        prefix: '',
        help: help(module.path),
        namespaces: [],
        folded: true,
        onChange: () => onChange('values'),
      });
    this.#common = [
      common(query, 'action=query', IN_QUERY),
      common(asSent(json), 'format=json', SETTLED),
      common(main, say('allRequests'), SETTLED),
    ];
    places.more.append(...this.#common.map((form) => form.element));
  }

  /** Requests the descriptions of the modules, and builds the form. */
  static async open(
    catalogue: Catalogue,
    places: Places,
    help: (path: string) => string,
    onChange: (change: Change) => void,
  ): Promise<QueryForm> {
    const [main, query, json] = await catalogue.modules(['main', 'query', 'json']);
    if (!main || !query || !json) throw new Error(say('noDescription'));
    return new QueryForm(catalogue, places, [main, query, json], help, onChange);
  }

  get fields(): readonly Field[] {
    return [...this.#source.fields, ...[...this.#shown, ...this.#common].flatMap((form) => form.fields)];
  }

  /** The values of the form, in the order of the request. */
  get values(): Values {
    const modules = GROUPS.map((group) => [group, this.#picker.chosen(group)] as const);
    return [
      ...modules.filter(([, names]) => names.length > 0),
      ...this.#source.values,
      ...[...this.#shown, ...this.#common].flatMap((form) => form.values),
    ];
  }

  /** Parameters whose values must not be displayed. */
  get sensitive(): ReadonlySet<string> {
    return new Set(this.fields.filter(({ parameter }) => parameter.sensitive === true).map(({ name }) => name));
  }

  /** Fills in the form from a request. Returns the modules and parameters that the form does not have. */
  async write(values: ReadonlyMap<string, string>): Promise<readonly string[]> {
    const unknown = GROUPS.flatMap((group) => {
      const text = values.get(group);
      return this.#picker.choose(group, text === undefined ? [] : splitValues(text)).map((name) => `${group}=${name}`);
    });
    this.#source.write(values);
    this.#forms.clear();
    await this.#arrange();
    for (const form of [...this.#shown, ...this.#common]) form.write(values);
    const known = new Set<string>([...GROUPS, ...SETTLED, ...this.fields.map(({ name }) => name)]);
    return [...unknown, ...[...values.keys()].filter((name) => !known.has(name))];
  }

  /** Moves the focus to the field of a parameter. */
  show(name: string): void {
    const field = this.fields.find((one) => one.name === name);
    if (field) field.show();
    else this.#places.modules.querySelector<HTMLElement>('input')?.focus();
  }

  async #changed(): Promise<void> {
    const before = this.#shown;
    await this.#arrange();
    const same = before.length === this.#shown.length && before.every((form, index) => form === this.#shown[index]);
    this.#onChange(same ? 'values' : 'modules');
  }

  #chosen(): readonly Chosen[] {
    const generator = this.#source.generator;
    const found = GROUPS.flatMap((group) =>
      this.#picker.chosen(group).map((name): Chosen => this.#choice(group, name)),
    );
    if (generator === undefined) return found;
    const remove = (): void => {
      this.#source.clearGenerator();
      void this.#changed();
    };
    return [{ path: `query+${generator}`, title: `generator=${generator}`, lead: 'g', remove }, ...found];
  }

  #choice(group: Group, name: string): Chosen {
    const remove = (): void => {
      const rest = this.#picker.chosen(group).filter((other) => other !== name);
      this.#picker.choose(group, rest);
      void this.#changed();
    };
    return { path: `query+${name}`, title: `${group}=${name}`, lead: '', remove };
  }

  /** Shows a form for each selected module. While the API describes them, the selection may change again. */
  async #arrange(): Promise<void> {
    this.#arranging += 1;
    const turn = this.#arranging;
    const chosen = this.#chosen();
    const modules = await this.#catalogue.modules([...new Set(chosen.map(({ path }) => path))]);
    const types = modules.flatMap(({ parameters }) => parameters.map(({ type }) => type));
    const namespaces = types.includes('namespace') ? await this.#catalogue.namespaces() : [];
    if (turn !== this.#arranging) return;
    this.#shown = chosen.flatMap(({ path, title, lead, remove }) => {
      const module = modules.find((one) => one.path === path);
      if (module === undefined) return [];
      const form =
        this.#forms.get(title) ??
        new ModuleForm(module, {
          title,
          namespaces,
          prefix: lead + module.prefix,
          help: this.#help(path),
          onChange: () => this.#onChange('values'),
          onRemove: remove,
        });
      this.#forms.set(title, form);
      return [form];
    });
    const nothing = element('p', { class: 'facts' }, say('selectModule'));
    this.#places.parameters.replaceChildren(
      ...(this.#shown.length === 0 ? [nothing] : this.#shown.map((form) => form.element)),
    );
  }
}
