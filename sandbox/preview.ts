import { button, element, freshId } from './dom.js';
import type { ApiRequest } from './request.js';
import { type Notation, NOTATIONS, snippet } from './snippets.js';

/** Shows the request in several formats, for copying. */
export class Preview {
  readonly #code = element('code');
  readonly #note = element('p', { class: 'facts' });
  #notation: Notation = 'url';
  #request: ApiRequest | undefined;

  constructor(section: HTMLElement, announce: (text: string) => void) {
    const group = freshId('notation');
    // The keys of the object, in its order.
    const choices = (Object.keys(NOTATIONS) as Notation[]).map((notation) => {
      const input = element('input', { type: 'radio', name: group, value: notation, checked: notation === 'url' });
      input.addEventListener('change', () => {
        this.#notation = notation;
        this.#refresh();
      });
      return element('label', { class: 'tab' }, input, ' ', NOTATIONS[notation]);
    });
    const block = element('pre', { tabindex: 0, role: 'region', 'aria-label': 'Request to copy' }, this.#code);
    section.append(
      element('fieldset', { class: 'tabs' }, element('legend', {}, 'Format'), ...choices),
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
      ...(signedIn && this.#notation !== 'url' ? ['Replace ACCESS_TOKEN with your access token.'] : []),
      ...hidden.map((name) => `Replace ${name.toUpperCase()} with your value of ${name}.`),
    ].join(' ');
  }

  async #copy(block: HTMLElement): Promise<string> {
    try {
      await navigator.clipboard.writeText(this.#code.textContent ?? '');
      return 'Copied.';
    } catch {
      getSelection()?.selectAllChildren(block);
      return 'The browser did not allow copying. The text is selected: copy it with the keyboard.';
    }
  }
}
