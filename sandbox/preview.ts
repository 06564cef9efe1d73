import { button, element, freshId } from './dom.js';
import type { ApiRequest } from './request.js';
import { type Notation, NOTATIONS, snippet } from './snippets.js';

/** The request as it can be written down, to be read and copied. */
export class Preview {
  readonly #code = element('code');
  readonly #note = element('p', { class: 'facts' });
  #notation: Notation = 'url';
  #request: ApiRequest | undefined;

  constructor(section: HTMLElement, announce: (text: string) => void) {
    const group = freshId('notation');
    // Its own keys, in the order in which they are written there.
    const choices = (Object.keys(NOTATIONS) as Notation[]).map((notation) => {
      const input = element('input', { type: 'radio', name: group, value: notation, checked: notation === 'url' });
      input.addEventListener('change', () => {
        this.#notation = notation;
        this.#refresh();
      });
      return element('label', { class: 'tab' }, input, ' ', NOTATIONS[notation]);
    });
    const block = element(
      'pre',
      { tabindex: 0, role: 'region', 'aria-label': 'Request, ready to be copied' },
      this.#code,
    );
    section.append(
      element('fieldset', { class: 'tabs' }, element('legend', {}, 'Written as'), ...choices),
      block,
      button('Copy', () => void this.#copy(block).then(announce), { class: 'plain' }),
      this.#note,
    );
  }

  show(request: ApiRequest): void {
    this.#request = request;
    this.#refresh();
  }

  #refresh(): void {
    if (this.#request === undefined) return;
    const { signedIn, values, sensitive } = this.#request;
    this.#code.textContent = snippet(this.#request, this.#notation);
    const hidden = values.map(([name]) => name).filter((name) => sensitive.has(name));
    this.#note.textContent = [
      ...(signedIn && this.#notation !== 'url' ? ['ACCESS_TOKEN stands for your access token.'] : []),
      ...hidden.map((name) => `${name.toUpperCase()} stands for your value of ${name}.`),
    ].join(' ');
  }

  async #copy(block: HTMLElement): Promise<string> {
    try {
      await navigator.clipboard.writeText(this.#code.textContent ?? '');
      return 'Copied.';
    } catch {
      getSelection()?.selectAllChildren(block);
      return 'The browser does not let this page copy. The text is selected: copy it with the keyboard.';
    }
  }
}
