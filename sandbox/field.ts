import type { Namespace, Parameter } from './catalogue.js';
import { controlFor, identify } from './controls.js';
import { element } from './dom.js';
import { factsOf } from './facts.js';
import type { Value } from './request.js';
import { ENGLISH, say } from './texts.js';

/** A parameter in the form: its name, its description and its control. */
export interface Field {
  /** The name in the request. */
  readonly name: string;
  readonly parameter: Parameter;
  readonly element: HTMLElement;
  read(): Value | undefined;
  write(text: string | undefined): void;
  /** Shows the errors and warnings of the last response; an empty list removes them. */
  complain(texts: readonly string[]): void;
  /** Opens the collapsed elements around the field, and moves the focus to it. */
  show(): void;
}

const mark = (text: string): HTMLElement => element('span', { class: 'flag' }, text);

const marksOf = ({ required, deprecated, sensitive }: Parameter): readonly HTMLElement[] => [
  ...(required === true ? [mark(say('required'))] : []),
  ...(deprecated === true ? [mark(say('deprecated'))] : []),
  ...(sensitive === true ? [mark(say('confidential'))] : []),
];

/** Creates the field of a parameter. */
export const makeField = (
  name: string,
  parameter: Parameter,
  namespaces: readonly Namespace[],
  onChange: () => void,
): Field => {
  const title = element('span', {}, element('code', {}, name), ...marksOf(parameter));
  const control = controlFor(parameter, title, namespaces);
  const id = identify(control, name);
  const notes = element('div', { class: 'notes', id: `${id}-notes` });
  if (parameter.description) notes.append(element('p', ENGLISH, parameter.description));
  const facts = factsOf(parameter);
  if (facts.length > 0) notes.append(element('p', { class: 'facts', ...ENGLISH }, facts.join(' ')));
  const complaint = element('p', { class: 'complaint', id: `${id}-complaint`, hidden: true, ...ENGLISH });
  const describe = (): void => {
    control.target.setAttribute('aria-describedby', complaint.hidden ? notes.id : `${complaint.id} ${notes.id}`);
  };
  describe();
  if (parameter.required === true && !control.named) control.target.setAttribute('aria-required', 'true');
  const boolean = parameter.type === 'boolean';
  const box = control.named
    ? [control.element]
    : boolean
      ? [element('label', { class: 'box' }, control.element, ' ', title)]
      : [element('label', { for: id }, title), control.element];
  control.element.addEventListener('input', onChange);
  return {
    name,
    parameter,
    element: element('div', { class: 'parameter' }, ...box, complaint, notes),
    read: control.read,
    write: control.write,
    complain: (texts) => {
      complaint.textContent = texts.join(' ');
      complaint.hidden = texts.length === 0;
      if (texts.length === 0) control.target.removeAttribute('aria-invalid');
      else if (!control.named) control.target.setAttribute('aria-invalid', 'true');
      describe();
    },
    show: () => {
      for (let at: Element | null = complaint; at !== null; at = at.parentElement) {
        if (at instanceof HTMLDetailsElement) at.open = true;
      }
      (control.named ? control.element.querySelector('input') : control.target)?.focus();
    },
  };
};
