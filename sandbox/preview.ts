import { button, element, freshId } from './dom.js';
import type { ApiRequest } from './request.js';
import { type Notation, NOTATIONS, snippet } from './snippets.js';
import { say } from './texts.js';

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
    const block = element('pre', { tabindex: 0, role: 'region', dir: 'ltr', 'aria-label': say('toCopy') }, this.#code);
    section.append(
      element('fieldset', { class: 'tabs' }, element('legend', {}, say('format')), ...choices),
      block,
      button(say('copy'), () => void this.#copy(block).then(announce), { class: 'plain' }),
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
      ...(signedIn && this.#notation !== 'url' ? [say('replaceToken', { name: 'ACCESS_TOKEN' })] : []),
      ...hidden.map((name) => say('replaceValue', { name: name.toUpperCase(), parameter: name })),
    ].join(' ');
  }

  async #copy(block: HTMLElement): Promise<string> {
    try {
      await navigator.clipboard.writeText(this.#code.textContent ?? '');
      return say('copied');
    } catch {
      getSelection()?.selectAllChildren(block);
      return say('notCopied');
    }
  }
}
