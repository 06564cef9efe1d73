import type { FeatureHost, Html, OwnerVisit } from '../../core/feature/index.js';
import type { Offer } from './registration-form.js';
import type { ADMIN_TEXTS } from './texts.js';

/** A request of an administrator. */
export type Visit = OwnerVisit<typeof ADMIN_TEXTS>;

/** The language of these pages. */
export type AdminLanguage = Visit['frame']['language'];

/** Where the pages are, for whom, and what the server offers. */
export interface Place {
  readonly path: string;
  /** The language that the reader asked for, as a field of every link and form. */
  readonly asked: { readonly ui_locales?: string };
  /** Fields of every form that changes something. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly language: AdminLanguage;
  /** The administrator. */
  readonly account: Html;
  /** The front page of the site. */
  readonly home: { readonly href: string; readonly text: string };
  readonly offer: Offer;
  /** The scopes of the offer, described in this language. */
  readonly scopes: ReturnType<FeatureHost['describeScopes']>;
}

/** The page for this query, in the same language. */
export const linkTo = ({ path, asked }: Place, query: Readonly<Record<string, string>> = {}): string => {
  const all = new URLSearchParams({ ...query, ...asked }).toString();
  return all === '' ? path : `${path}?${all}`;
};
