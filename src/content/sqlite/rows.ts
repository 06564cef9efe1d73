import type { ContentPage } from '../source.js';
import { sql } from './sql.js';

/** A page as stored. */
export interface PageRow {
  readonly id: number;
  readonly ns: number;
  readonly title: string;
  readonly latest: number;
  readonly length: number;
  readonly touched: string;
  readonly model: string;
  readonly redirect_to: string | null;
  readonly redirect_fragment: string;
}

/** The columns of a page. */
export const PAGE = sql`page.id, page.ns, page.title, latest, length, touched, page.model, redirect_to, redirect_fragment`;

/** Converts a row to a page. */
export const pageOf = (row: PageRow): ContentPage => {
  const { id, ns, title, latest: revid, length, touched, model, redirect_to: to, redirect_fragment: fragment } = row;
  const page = { id, ns, title, revid, length, touched, model };
  return to === null ? page : { ...page, redirect: fragment === '' ? { to } : { to, fragment } };
};
