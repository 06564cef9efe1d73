type Attribute = string | number | boolean | undefined;

/** Creates an element. Children are text or nodes, and never parsed as HTML. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== undefined) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
};

/** A button that does not submit its form. */
export const button = (label: string, onPress: () => void, attributes: Readonly<Record<string, Attribute>> = {}) => {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onPress);
  return made;
};

let count = 0;

/** A unique id. */
export const freshId = (name: string): string => {
  count += 1;
  return `${name.replace(/[^\w-]/g, '-')}-${count}`;
};

/** The element of the page with this id. */
export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element "${id}".`);
  return found;
};

/** A field that filters while the user types. */
export const filterField = (label: string, onInput: (wanted: string) => void): HTMLElement => {
  const id = freshId('filter');
  const input = element('input', { type: 'search', id, autocomplete: 'off' });
  input.addEventListener('input', () => onInput(input.value.trim().toLowerCase()));
  input.addEventListener('keydown', (event) => {
    // Enter must not submit the form: this field is not part of the request.
    if (event.key === 'Enter') event.preventDefault();
  });
  return element('p', { class: 'filter' }, element('label', { for: id }, label), input);
};

/** Whether the page lists a module, because it has an answer on this site. */
export const isAnswered = (module: string): boolean =>
  document.querySelector(`[data-module="${CSS.escape(module)}"]`) !== null;
