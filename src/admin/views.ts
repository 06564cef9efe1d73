import type { ClientPage, StoredClient } from '../clients/stored-client.js';
import { type Html, html } from '../core/base/html.js';
import { hiddenInputs, noticeText, problemText, type QuestionTexts } from '../core/base/pages/forms.js';
import type { PageTextName } from '../core/base/pages/languages/english.js';
import type { Translator } from '../core/base/pages/languages/translator.js';
import type { PageContent } from '../core/base/pages/layout.js';
import type { GrantPage } from '../core/oauth/owners/listed-grants.js';
import type { FormValues } from './registration-form.js';
import type { AdminTextName } from './texts.js';

/** The language of these pages. */
export type AdminLanguage = Translator<PageTextName | AdminTextName>;

/** Where the pages are, and for whom. */
export interface Place {
  readonly path: string;
  /** The language that the reader asked for, as a field of every link and form. */
  readonly asked: { readonly ui_locales?: string };
  /** Fields of every form that changes something. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly language: AdminLanguage;
}

/** What asks before it is done. */
export const QUESTIONS = {
  disable: { ask: 'askDisable', explain: 'disableEnds', press: 'disable' },
  remove: { ask: 'askRemove', explain: 'removeEnds', press: 'removeClient' },
  end_all: { ask: 'askEndAll', explain: 'endAllEnds', press: 'endAll' },
  end: { ask: 'askEnd', explain: 'endEnds', press: 'end' },
} as const satisfies Readonly<Record<string, QuestionTexts<AdminTextName>>>;

const DONE: ReadonlyMap<string, AdminTextName> = new Map([
  ['add', 'added'],
  ['change', 'saved'],
  ['disable', 'nowDisabled'],
  ['enable', 'nowEnabled'],
  ['end_all', 'allEnded'],
  ['end', 'ended'],
]);

/** The page for this query, in the same language. */
export const linkTo = ({ path, asked }: Place, query: Readonly<Record<string, string>> = {}): string => {
  const all = new URLSearchParams({ ...query, ...asked }).toString();
  return all === '' ? path : `${path}?${all}`;
};

const isPublic = ({ registration }: StoredClient): boolean =>
  registration.client_secret === undefined && registration.jwks === undefined;

const facts = ({ language }: Place, client: StoredClient): Html => {
  const { disabled } = client.registration;
  return html`${language.text(isPublic(client) ? 'public' : 'confidential')}${disabled === true ? html` · <strong class="bad-text">${language.text('disabled')}</strong>` : undefined} · ${language.html('changedOn', { date: language.day(client.changedAt / 1000) })}`;
};

/** The list of clients, with a search. */
export const listPage = (
  place: Place,
  { clients, next, search }: ClientPage & { readonly search: string },
): PageContent => ({
  title: place.language.text('clients'),
  body: html`<form method="get" action="${place.path}" role="search" class="row">
${hiddenInputs(place.asked)}<div><label for="search">${place.language.text('searchClients')}</label>
<input id="search" name="search" type="search" value="${search}" dir="auto"></div>
<button class="plain">${place.language.text('search')}</button>
<a class="button accent" href="${linkTo(place, { new: '1' })}">${place.language.text('addClient')}</a>
</form>
${
  clients.length === 0
    ? html`<p>${place.language.text(search === '' ? 'noClients' : 'noneFound')}</p>`
    : clients.map(
        (client) => html`<section>
<h2><a href="${linkTo(place, { client: client.client_id })}"><bdi>${client.registration.client_name ?? client.client_id}</bdi></a></h2>
<p class="soft"><code>${client.client_id}</code><br>${facts(place, client)}</p>
</section>
`,
      )
}${next === undefined ? undefined : html`<p class="links"><a href="${linkTo(place, { after: next, ...(search !== '' && { search }) })}">${place.language.text(search === '' ? 'nextPage' : 'searchFurther')}</a></p>`}`,
});

interface Field {
  readonly name: keyof FormValues;
  readonly label: AdminTextName | PageTextName;
  readonly hint?: AdminTextName;
  readonly isLong?: true;
}

const FORM: readonly Field[] = [
  { name: 'client_name', label: 'name', hint: 'nameHint' },
  { name: 'redirect_uris', label: 'redirectUris', hint: 'onePerLine', isLong: true },
  { name: 'grant_types', label: 'grantTypes', hint: 'grantTypesHint', isLong: true },
  { name: 'scope', label: 'scopes', hint: 'scopesHint' },
  { name: 'client_uri', label: 'website' },
  { name: 'logo_uri', label: 'logo' },
  { name: 'policy_uri', label: 'privacyPolicy' },
  { name: 'tos_uri', label: 'termsOfService' },
];

const EXAMPLES = html`<code>authorization_code</code>, <code>refresh_token</code>, <code>client_credentials</code>, <code>device_code</code>`;

const fieldOf = ({ name, label, hint, isLong }: Field, values: FormValues, language: AdminLanguage): Html => {
  const described = hint === undefined ? undefined : html` aria-describedby="${name}-hint"`;
  return html`<div><label for="${name}">${language.text(label)}</label>
${
  isLong === true
    ? html`<textarea id="${name}" name="${name}" rows="3" dir="ltr" spellcheck="false"${described}>${values[name]}</textarea>`
    : html`<input id="${name}" name="${name}" dir="auto" autocomplete="off" spellcheck="false" value="${values[name]}"${described}>`
}${
    hint === undefined
      ? undefined
      : html`
<p class="soft hint" id="${name}-hint">${language.html(hint, { examples: EXAMPLES })}</p>`
  }</div>
`;
};

const back = (place: Place): Html =>
  html`<p class="links"><a href="${linkTo(place)}">${place.language.text('allClients')}</a></p>`;

/** The form for a new client. */
export const addPage = (place: Place, values: FormValues, problem?: Html): PageContent => {
  const { language } = place;
  return {
    title: language.text('addClient'),
    body: html`${problemText(problem)}<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, act: 'add' })}<fieldset><legend>${language.text('keepsSecret')}</legend>
<label class="choice"><input type="radio" name="kind" value="confidential"${values.kind === 'public' ? undefined : html` checked`}> ${language.text('isConfidential')}</label>
<label class="choice"><input type="radio" name="kind" value="public"${values.kind === 'public' ? html` checked` : undefined}> ${language.text('isPublic')}</label></fieldset>
${fieldOf({ name: 'client_id', label: 'identifier', hint: 'identifierHint' }, values, language)}${FORM.map((field) => fieldOf(field, values, language))}<div class="actions"><button>${language.text('add')}</button></div>
</form>
${back(place)}`,
  };
};

/** The only page that shows a secret. */
export const secretPage = (place: Place, client_id: string, secret: string): PageContent => ({
  title: place.language.text('newSecret'),
  body: html`<section class="secret">
<h2><code>${client_id}</code></h2>
<p>${place.language.text('copySecret')}</p>
<p class="code" dir="ltr">${secret}</p>
</section>
<p class="links"><a href="${linkTo(place, { client: client_id })}">${place.language.text('toClient')}</a></p>`,
});

const button = (
  place: Place,
  act: string,
  client: StoredClient,
  text: AdminTextName,
  kind: string,
  more: Readonly<Record<string, string>> = {},
): Html =>
  html`<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, client: client.client_id, ...more })}<button name="act" value="${act}" class="${kind}">${place.language.text(text)}</button>
</form>
`;

/** How long the older secrets of a client may stay valid, in seconds, with its text. */
export const OVERLAPS = [
  { seconds: 86_400, text: 'days', count: 1 },
  { seconds: 604_800, text: 'days', count: 7 },
  { seconds: 3600, text: 'hours', count: 1 },
  { seconds: 0, text: 'noLonger', count: 0 },
] as const;

const rotation = (place: Place, client: StoredClient): Html => html`<section>
<h2>${place.language.text('secret')}</h2>
<form method="post" action="${place.path}" class="row">
${hiddenInputs({ ...place.hidden, client: client.client_id, act: 'rotate', version: String(client.version) })}<div><label for="overlap">${place.language.text('staysValid')}</label>
<select id="overlap" name="overlap">${OVERLAPS.map(({ seconds, text, count }) => html`<option value="${seconds}">${place.language.text(text, { count })}</option>`)}</select></div>
<button class="plain">${place.language.text('createSecret')}</button>
</form>
</section>
`;

const grantsOf = (place: Place, client: StoredClient, { grants, next }: GrantPage): Html => {
  const { language } = place;
  return html`<section>
<h2>${language.text('grants')}</h2>
${
  grants.length === 0
    ? html`<p>${language.text('noGrants')}</p>`
    : grants.map(
        ({
          username,
          sub,
          scope,
          created,
          last_refreshed: last,
          grant_id,
        }) => html`<div class="row"><p><strong><bdi>${username ?? sub}</bdi></strong> <span class="soft"><code>${scope}</code><br>${created === undefined ? undefined : language.html('since', { date: language.day(created) })}${last === undefined ? undefined : html` · ${language.html('lastUsed', { date: language.day(last) })}`}</span></p>
${button(place, 'end', client, 'end', 'plain', { grant: grant_id })}</div>
`,
      )
}${next === undefined ? undefined : html`<p class="links"><a href="${linkTo(place, { client: client.client_id, after: next })}">${language.text('moreGrants')}</a></p>`}
</section>
`;
};

/** A client, with everything that can be done with it. */
export const clientPage = (
  place: Place,
  {
    client,
    values,
    grants,
    done,
    problem,
  }: {
    readonly client: StoredClient;
    readonly values: FormValues;
    readonly grants: GrantPage;
    readonly done: string | undefined;
    readonly problem: Html | undefined;
  },
): PageContent => ({
  title: client.registration.client_name ?? client.client_id,
  heading: html`<bdi>${client.registration.client_name ?? client.client_id}</bdi>`,
  body: html`${noticeText(doneText(done, place))}${problemText(problem)}<p class="soft"><code>${client.client_id}</code><br>${facts(place, client)}</p>
<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, client: client.client_id, act: 'change', version: String(client.version) })}${FORM.map((field) => fieldOf(field, values, place.language))}<div class="actions"><button>${place.language.text('save')}</button></div>
</form>
${client.registration.client_secret === undefined ? undefined : rotation(place, client)}${grantsOf(place, client, grants)}<section>
<h2>${place.language.text('endAccess')}</h2>
<div class="row">
${client.registration.disabled === true ? button(place, 'enable', client, 'enable', 'plain') : button(place, 'disable', client, 'disable', 'plain')}${button(place, 'end_all', client, 'endAll', 'plain')}${button(place, 'remove', client, 'removeClient', 'link danger')}</div>
</section>
${back(place)}`,
});

const doneText = (done: string | undefined, { language }: Place): Html | undefined => {
  const text = DONE.get(done ?? '');
  return text && language.html(text);
};

/** For everyone else. */
export const notAdmin = (language: AdminLanguage): PageContent => ({
  title: language.text('notAdmin'),
  body: html`<p>${language.text('notAdminHint')}</p>`,
  end: 'bad',
  isWide: false,
});
