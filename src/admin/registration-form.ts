import type { ClientRegistration } from '../core/oauth/clients/client.js';
import { Parameters } from '../core/oauth/facts/parameters.js';

/** The fields of the form. */
export const FIELDS = {
  kind: 'vschar',
  client_id: 'client_id',
  client_name: 'text',
  redirect_uris: 'lines',
  grant_types: 'lines',
  scope: 'text',
  client_uri: 'text',
  logo_uri: 'text',
  policy_uri: 'text',
  tos_uri: 'text',
} as const;

/** The content of the form. */
export type FormValues = Readonly<Record<keyof typeof FIELDS, string>>;

const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
const LISTS: ReadonlySet<string> = new Set(['redirect_uris', 'grant_types']);

/** The form as it was sent, or filled in from a registration. */
export const valuesOf = (given: Parameters | ClientRegistration | undefined): FormValues => {
  const valueOf = (name: keyof typeof FIELDS): string => {
    if (given instanceof Parameters) return given.get(name) ?? '';
    const value: unknown = given === undefined || name === 'kind' ? undefined : given[name];
    return Array.isArray(value) ? value.join('\n') : typeof value === 'string' ? value : '';
  };
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as FormValues; // It has all names.
};

type Changes = {
  readonly [Name in Exclude<keyof typeof FIELDS, 'kind' | 'client_id'>]:
    | (Name extends 'redirect_uris' | 'grant_types' ? readonly string[] : string)
    | null;
};

/** What the form changes: an empty field is removed. */
export const registrationOf = (form: Parameters): Changes => {
  const entries = NAMES.filter((name) => name !== 'kind' && name !== 'client_id').map((name) => {
    const text = (form.get(name) ?? '').trim();
    const items = text.split(/\s+/).filter((item) => item !== '');
    if (LISTS.has(name)) return [name, items.length === 0 ? null : items] as const;
    return [name, text === '' ? null : text] as const;
  });
  return Object.fromEntries(entries) as Changes; // It has all names.
};
