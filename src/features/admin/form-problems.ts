import type { FormValues, Offer, TypedField } from './registration-form.js';
import type { AdminTextName } from './texts.js';

/** A part of the form that a problem can be about. */
export type FormPart = TypedField | 'grants' | 'scopes' | 'introspect';

/** Why a form was refused. */
export interface FormProblem {
  /** Absent for a problem of the whole client. */
  readonly part?: FormPart;
  readonly text: AdminTextName;
  readonly values?: Readonly<Record<string, string>>;
  /** The sentence of `checkClient`, if no text says the same. */
  readonly detail?: string;
}

/** A form that was refused. */
export class FormError extends Error {
  override readonly name = 'FormError';
  readonly problems: readonly FormProblem[];

  constructor(problems: readonly FormProblem[]) {
    super('The form was refused.');
    this.problems = problems;
  }
}

/** Nothing selected would mean the defaults: other grants, and all scopes. */
export const missingChoices = ({ grants, scopes, hasAllScopes }: FormValues, offer: Offer): readonly FormProblem[] => [
  ...(grants.size === 0 ? [{ part: 'grants', text: 'noGrantType' } as const] : []),
  ...(scopes.size === 0 && !hasAllScopes && offer.scopes.length > 0
    ? [{ part: 'scopes', text: 'noScope' } as const]
    : []),
];

/** The texts for sentences of `checkClient` that begin like this; a quoted value in the sentence is their `{value}`. */
const TEXTS: readonly (readonly [RegExp, FormPart, AdminTextName])[] = [
  [/^the redirect URI /, 'redirect_uris', 'wrongRedirectUri'],
  [/requires redirect_uris/, 'redirect_uris', 'noRedirectUri'],
  [/^(?:private_key_jwt|jwks|jwks_uri) and /, 'jwks_uri', 'keysOrSecret'],
  [/^jwks_uri /, 'jwks_uri', 'wrongAddress'],
  [/^client_id /, 'client_id', 'wrongIdentifier'],
  [/^client_name /, 'client_name', 'wrongName'],
  [/^client_uri /, 'client_uri', 'wrongAddress'],
  [/^logo_uri /, 'logo_uri', 'wrongAddress'],
  [/^policy_uri /, 'policy_uri', 'wrongAddress'],
  [/^tos_uri /, 'tos_uri', 'wrongAddress'],
  [/^client_credentials requires /, 'grants', 'needsSecret'],
  [/^introspect requires /, 'introspect', 'introspectNeedsSecret'],
  [/^scope names /, 'scopes', 'unknownScope'],
];

/** A value that a sentence quotes, as JSON does. */
const quotedIn = (sentence: string): string => {
  const [quoted] = /"(?:[^"\\]|\\.)*"/.exec(sentence) ?? [];
  return quoted === undefined ? '' : String(JSON.parse(quoted));
};

/** A sentence of `checkClient` as a problem of the form. */
export const problemOf = (sentence: string): FormProblem => {
  // Whose client it is, the page says.
  const problem = sentence.replace(/^Client "(?:[^"\\]|\\.)*": /, '');
  const found = TEXTS.find(([pattern]) => pattern.test(problem));
  if (found === undefined) return { text: 'wrongClient', detail: problem };
  const [, part, text] = found;
  return { part, text, values: { value: quotedIn(problem) } };
};
