import type { Namespace, Parameter } from './catalogue.js';
import { element, freshId } from './dom.js';
import { splitValues, type Value } from './request.js';
import { say } from './texts.js';

/** The control for the value of a parameter. */
export interface Control {
  readonly element: HTMLElement;
  /** The element that represents the control to assistive technology, and has the description. */
  readonly target: HTMLElement;
  /** Whether the control includes its label, as a group of checkboxes does in its legend. */
  readonly named: boolean;
  /** The value; `undefined` if there is none, and the parameter is not sent. */
  read(): Value | undefined;
  /** Sets the value from its wire form. */
  write(text: string | undefined): void;
}

/** One of the allowed values. */
interface Choice {
  readonly value: string;
  readonly label: string;
  readonly deprecated: boolean;
}

/** Larger groups are collapsed. */
const MANY = 12;

const checkbox = (): Control => {
  const input = element('input', { type: 'checkbox' });
  return {
    element: input,
    target: input,
    named: false,
    read: () => (input.checked ? true : undefined),
    write: (text) => {
      input.checked = text !== undefined;
    },
  };
};

const textual = (input: HTMLInputElement): Control => ({
  element: input,
  target: input,
  named: false,
  read: () => (input.value === '' ? undefined : input.value),
  write: (text) => {
    input.value = text ?? '';
  },
});

/** One value per line: values can contain bars, but no line breaks. */
const lines = (preset: Parameter['default']): Control => {
  const placeholder = preset === undefined ? undefined : splitValues(String(preset)).join('\n');
  const area = element('textarea', { rows: 2, spellcheck: 'false', placeholder });
  return {
    element: area,
    target: area,
    named: false,
    read: () => {
      const values = area.value.split('\n').filter((line) => line !== '');
      return values.length === 0 ? undefined : values;
    },
    write: (text) => {
      area.value = text === undefined ? '' : splitValues(text).join('\n');
    },
  };
};

const labelOf = ({ label, deprecated }: Choice): string => label + (deprecated ? ` (${say('deprecated')})` : '');

const selection = (choices: readonly Choice[], preset: Parameter['default']): Control => {
  const unset =
    preset === undefined ? '–' : say('defaultValue', { value: preset === '' ? say('empty') : String(preset) });
  // By position: a value may itself be empty.
  const known = [...choices];
  const options = known.map((choice, index) => element('option', { value: index }, labelOf(choice)));
  const select = element('select', {}, element('option', { value: '' }, unset), ...options);
  return {
    element: select,
    target: select,
    named: false,
    read: () => (select.value === '' ? undefined : known[Number(select.value)]?.value),
    write: (text) => {
      if (text !== undefined && !known.some(({ value }) => value === text)) {
        // An unknown value from the URL is sent, so that the API can report what is wrong.
        select.append(element('option', { value: known.length }, say('unknownValue', { value: text })));
        known.push({ value: text, label: text, deprecated: false });
      }
      select.value = text === undefined ? '' : String(known.findIndex(({ value }) => value === text));
    },
  };
};

interface Box {
  readonly choice: Choice;
  readonly input: HTMLInputElement;
}

const box = (choice: Choice): Box & { readonly element: HTMLElement } => {
  const input = element('input', { type: 'checkbox' });
  return { choice, input, element: element('label', { class: 'box' }, input, ' ', labelOf(choice)) };
};

/** A group of checkboxes, with one for all values if the parameter has a specifier for them. */
const boxes = (choices: readonly Choice[], legend: Node, all: string | undefined): Control => {
  const made = choices.map(box);
  const everything =
    all === undefined ? undefined : box({ value: all, label: say('allValues', { value: all }), deprecated: false });
  const list = element('div', { class: 'boxes' }, everything?.element, ...made.map((one) => one.element));
  const folded =
    choices.length > MANY
      ? element('details', {}, element('summary', {}, say('valueCount', { count: choices.length })), list)
      : undefined;
  const group = element('fieldset', { class: 'choices' }, element('legend', {}, legend), folded ?? list);
  const settle = (): void => {
    for (const { input } of made) input.disabled = everything?.input.checked ?? false;
  };
  everything?.input.addEventListener('change', settle);
  return {
    element: group,
    target: group,
    named: true,
    read: () => {
      if (everything?.input.checked === true) return everything.choice.value;
      const values = made.filter(({ input }) => input.checked).map(({ choice }) => choice.value);
      return values.length === 0 ? undefined : values;
    },
    write: (text) => {
      const isAll = text !== undefined && text === all;
      const values = text === undefined || isAll ? [] : splitValues(text);
      for (const value of values.filter((one) => !made.some(({ choice }) => choice.value === one))) {
        const extra = box({ value, label: say('unknownValue', { value }), deprecated: false });
        made.push(extra);
        list.append(extra.element);
      }
      if (everything) everything.input.checked = isAll;
      for (const { input, choice } of made) input.checked = values.includes(choice.value);
      if (folded && text !== undefined) folded.open = true;
      settle();
    },
  };
};

const input = (parameter: Parameter): HTMLInputElement => {
  const { type, min, max, sensitive, default: placeholder } = parameter;
  if (sensitive === true) return element('input', { type: 'password', autocomplete: 'off' });
  if (type === 'integer') return element('input', { type: 'number', step: 1, min, max, placeholder });
  const numeric = type === 'limit' ? 'numeric' : undefined;
  const attributes = { inputmode: numeric, spellcheck: 'false', autocomplete: 'off', placeholder };
  return element('input', { type: 'text', ...attributes });
};

const namespaceChoices = ({ extranamespaces = [] }: Parameter, namespaces: readonly Namespace[]): readonly Choice[] =>
  namespaces
    .filter(({ id }) => id >= 0 || extranamespaces.includes(id))
    .map(({ id, name }) => ({ value: String(id), label: `${id} ${name || '(Main)'}`, deprecated: false }));

const valueChoices = (values: readonly string[], deprecated: readonly string[] = []): readonly Choice[] =>
  values.map((value) => ({
    value,
    label: value === '' ? `(${say('empty')})` : value,
    deprecated: deprecated.includes(value),
  }));

/** The control for a parameter. The legend is for groups, which include their label. */
export const controlFor = (parameter: Parameter, legend: Node, namespaces: readonly Namespace[]): Control => {
  const { type, multi, sensitive, allspecifier } = parameter;
  if (type === 'boolean') return checkbox();
  const choices =
    typeof type !== 'string'
      ? valueChoices(type, parameter.deprecatedvalues)
      : type === 'namespace'
        ? namespaceChoices(parameter, namespaces)
        : [];
  if (choices.length > 0 && sensitive !== true) {
    return multi === true ? boxes(choices, legend, allspecifier) : selection(choices, parameter.default);
  }
  return multi === true && sensitive !== true ? lines(parameter.default) : textual(input(parameter));
};

/** Gives the control an id for its label. */
export const identify = ({ target }: Control, name: string): string => {
  target.id = freshId(name);
  return target.id;
};
