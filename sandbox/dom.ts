type Attribute = string | number | boolean | undefined;

/** Makes an element. Every text goes in as text: nothing here is ever read as HTML. */
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

/** A button that only does what it is told here. */
export const button = (label: string, onPress: () => void, attributes: Readonly<Record<string, Attribute>> = {}) => {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onPress);
  return made;
};

let count = 0;

/** An id that no other element has. */
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

/** A field that narrows down what is shown while somebody types. */
export const filterField = (label: string, onInput: (wanted: string) => void): HTMLElement => {
  const id = freshId('filter');
  const input = element('input', { type: 'search', id, autocomplete: 'off' });
  input.addEventListener('input', () => onInput(input.value.trim().toLowerCase()));
  input.addEventListener('keydown', (event) => {
    // Nothing is sent by it: it is no part of the request.
    if (event.key === 'Enter') event.preventDefault();
  });
  return element('p', { class: 'filter' }, element('label', { for: id }, label), input);
};

/** Whether the page lists a module as one that this site answers. */
export const isAnswered = (module: string): boolean =>
  document.querySelector(`[data-module="${CSS.escape(module)}"]:not([data-unanswered])`) !== null;
