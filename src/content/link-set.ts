import type { ContentLink, LinkKind } from './source.js';

/** The links of a page. The first link to a target wins. */
export class LinkSet {
  readonly #links = new Map<string, ContentLink>();

  add(kind: LinkKind, ns: number, title: string, text = ''): void {
    const id = `${kind}:${ns}:${title}`;
    if (!this.#links.has(id)) this.#links.set(id, text === '' ? { kind, ns, title } : { kind, ns, title, text });
  }

  get all(): readonly ContentLink[] {
    return [...this.#links.values()];
  }
}
