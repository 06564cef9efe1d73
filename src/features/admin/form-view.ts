import { type Html, html, problemText } from '../../core/pages.js';
import type { PageTextName } from '../../languages/index.js';
import type { FormPart, FormProblem } from './form-problems.js';
import type { AdminLanguage, Place } from './place.js';
import { checkboxOf, type FormValues, type TypedField } from './registration-form.js';
import type { AdminTextName } from './texts.js';

/** A form that is shown, perhaps again. */
export interface ShownForm {
  readonly values: FormValues;
  readonly problems: readonly FormProblem[];
}

interface Field {
  readonly name: TypedField;
  readonly label: AdminTextName | PageTextName;
  readonly hint?: AdminTextName;
  readonly isLong?: true;
}

const IDENTIFIER: Field = { name: 'client_id', label: 'identifier', hint: 'identifierHint' };

const FIELDS: readonly Field[] = [
  { name: 'client_name', label: 'name', hint: 'nameHint' },
  { name: 'redirect_uris', label: 'redirectUris', hint: 'onePerLine', isLong: true },
  { name: 'jwks_uri', label: 'keysAddress', hint: 'keysAddressHint' },
];

const LINKS: readonly Field[] = [
  { name: 'client_uri', label: 'website' },
  { name: 'logo_uri', label: 'logo' },
  { name: 'policy_uri', label: 'privacyPolicy' },
  { name: 'tos_uri', label: 'termsOfService' },
];

const RESOURCES: readonly Field[] = [
  { name: 'audience', label: 'servedResources', hint: 'servedResourcesHint', isLong: true },
  { name: 'exchange_resources', label: 'exchangeResources', hint: 'exchangeResourcesHint', isLong: true },
];

const GRANT_TEXTS: ReadonlyMap<string, AdminTextName> = new Map([
  ['authorization_code', 'forSignIn'],
  ['refresh_token', 'forRefresh'],
  ['client_credentials', 'forItself'],
  ['device_code', 'forDevices'],
  ['password', 'forPasswords'],
  ['implicit', 'forFragments'],
]);

const problemsOf = (part: FormPart, { problems }: ShownForm): readonly FormProblem[] =>
  problems.filter((problem) => problem.part === part);

/** The problems of a part, below it, and what refers to them. */
const marked = (
  part: FormPart,
  hint: AdminTextName | undefined,
  form: ShownForm,
  language: AdminLanguage,
): { readonly attributes: Html; readonly below: Html } => {
  const problems = problemsOf(part, form);
  const ids = [...(hint === undefined ? [] : [`${part}-hint`]), ...(problems.length === 0 ? [] : [`${part}-problem`])];
  const description = ids.length === 0 ? undefined : html` aria-describedby="${ids.join(' ')}"`;
  const hintText =
    hint === undefined ? undefined : html`<p class="soft hint" id="${part}-hint">${language.text(hint)}</p>`;
  if (problems.length === 0) return { attributes: html`${description}`, below: html`${hintText}` };
  const texts = problems.map(({ text, values }) => html`${language.html(text, values)} `);
  return {
    attributes: html`${description} aria-invalid="true"`,
    below: html`<p class="bad-text hint" id="${part}-problem">${texts}</p>\n${hintText}`,
  };
};

const field = ({ name, label, hint, isLong }: Field, form: ShownForm, language: AdminLanguage): Html => {
  const { attributes, below } = marked(name, hint, form, language);
  const value = form.values.typed[name];
  return html`<div><label for="${name}">${language.text(label)}</label>
${
  isLong === true
    ? html`<textarea id="${name}" name="${name}" rows="3" dir="ltr" spellcheck="false"${attributes}>${value}</textarea>`
    : html`<input id="${name}" name="${name}" dir="auto" autocomplete="off" spellcheck="false" value="${value}"${attributes}>`
}
${below}</div>
`;
};

const checkbox = (name: string, isChecked: boolean, text: Html): Html =>
  html`<label class="choice"><input type="checkbox" name="${name}" value="1"${isChecked ? html` checked` : undefined}> <span>${text}</span></label>
`;

const choices = (
  part: FormPart,
  label: AdminTextName,
  form: ShownForm,
  language: AdminLanguage,
  boxes: readonly Html[],
): Html => {
  const { attributes, below } = marked(part, undefined, form, language);
  return html`<fieldset${attributes}><legend>${language.text(label)}</legend>
<div class="choices">${boxes}</div>
${below}</fieldset>
`;
};

const grants = ({ offer, language }: Place, form: ShownForm): Html =>
  choices(
    'grants',
    'grantTypes',
    form,
    language,
    offer.grants.map((name) => {
      const text = GRANT_TEXTS.get(name);
      const what = text === undefined ? html`<code>${name}</code>` : html`${language.text(text)} <code>${name}</code>`;
      return checkbox(checkboxOf('grant', name), form.values.grants.has(name), what);
    }),
  );

const scopes = ({ offer, scopes: described, language }: Place, form: ShownForm): Html | undefined =>
  offer.scopes.length === 0
    ? undefined
    : choices('scopes', 'scopes', form, language, [
        checkbox('all_scopes', form.values.hasAllScopes, html`${language.text('allScopes')}`),
        ...described.map(({ name, description }) =>
          checkbox(
            checkboxOf('scope', name),
            form.values.scopes.has(name),
            html`<bdi>${description}</bdi> <code>${name}</code>`,
          ),
        ),
      ]);

/** What only a resource server has. */
const introspection = ({ language }: Place, form: ShownForm): Html =>
  choices('introspect', 'forResourceServers', form, language, [
    checkbox('introspect', form.values.introspects, html`${language.text('introspects')} <code>introspect</code>`),
  ]);

/** The problems above a form: those of the client as a whole, or that some fields are marked. */
export const summary = ({ problems }: ShownForm, language: AdminLanguage): Html | undefined => {
  const whole = problems.filter(({ part }) => part === undefined);
  if (problems.length === 0) return undefined;
  if (whole.length === 0) return problemText(language.text('checkFields'));
  return problemText(
    html`${whole.map(({ text, values, detail }) => {
      const inEnglish = detail === undefined ? undefined : html` <bdi lang="en" dir="ltr">${detail}</bdi>`;
      return html`${language.html(text, values)}${inEnglish} `;
    })}`,
  );
};

/** All fields of a client, with the identifier of a new one. */
export const fields = (place: Place, form: ShownForm, isNew: boolean): Html => {
  const { language } = place;
  const each = (list: readonly Field[]): readonly Html[] => list.map((one) => field(one, form, language));
  const parts = [
    isNew ? field(IDENTIFIER, form, language) : undefined,
    each(FIELDS),
    grants(place, form),
    scopes(place, form),
    introspection(place, form),
    each(RESOURCES),
    each(LINKS),
  ];
  return html`${parts}`;
};
