import type { StoredClient } from '../../clients/index.js';
import type { OwnerGrants } from '../../core/index.js';
import { copyable, hiddenInputs, type Html, html, noticeText, type PageContent } from '../../core/pages.js';
import type { ClientPage } from './find-clients.js';
import { fields, type ShownForm, summary } from './form-view.js';
import { type AdminLanguage, linkTo, type Place } from './place.js';
import { isPublicClient } from './registration-form.js';
import type { AdminTextName } from './texts.js';

/** What asks before it is done. */
export const QUESTIONS = {
  disable: { ask: 'askDisable', explain: 'disableEnds', press: 'disable' },
  remove: { ask: 'askRemove', explain: 'removeEnds', press: 'removeClient' },
  end_all: { ask: 'askEndAll', explain: 'endAllEnds', press: 'endAll' },
  end: { ask: 'askEnd', explain: 'endEnds', press: 'end' },
} as const satisfies Readonly<
  Record<string, { readonly ask: AdminTextName; readonly explain: AdminTextName; readonly press: AdminTextName }>
>;

const DONE: ReadonlyMap<string, AdminTextName> = new Map([
  ['add', 'added'],
  ['change', 'saved'],
  ['disable', 'nowDisabled'],
  ['enable', 'nowEnabled'],
  ['end_all', 'allEnded'],
  ['end', 'ended'],
]);

/** The name of a client and its identifier, which is unique. */
export const fullNameOf = (client: StoredClient): string => {
  const name = nameOf(client);
  return name === client.client_id ? name : `${name} (${client.client_id})`;
};

/** The name of a client, or its identifier. */
export const nameOf = ({ client_id, registration }: StoredClient): string => registration.client_name ?? client_id;

/** Back to the list, and to the front page. */
const ways = (place: Place, isList = false): Html =>
  html`<p class="links">${
    isList ? undefined : html`<a href="${linkTo(place)}">${place.language.text('allClients')}</a>\n`
  }<a href="${place.home.href}">${place.home.text}</a></p>`;

const facts = ({ language }: Place, client: StoredClient): Html => {
  const { disabled } = client.registration;
  const kind = language.text(isPublicClient(client.registration) ? 'public' : 'confidential');
  const mark = disabled === true ? html` · <strong class="bad-text">${language.text('disabled')}</strong>` : undefined;
  return html`${kind}${mark} · ${language.html('changedOn', { date: language.day(client.changedAt / 1000) })}`;
};

/** The clients of the configuration, by identifier. They cannot be changed here. */
export type Configured = readonly { readonly client_id: string; readonly name: string }[];

const configured = (clients: Configured, { language }: Place): Html | undefined =>
  clients.length === 0
    ? undefined
    : html`<section>
<h2>${language.text('inConfiguration')}</h2>
<p>${language.text('inConfigurationHint')}</p>
<ul>${clients.map(({ client_id, name }) => html`<li><bdi>${name}</bdi>${name === client_id ? undefined : html` <code>${client_id}</code>`}</li>\n`)}</ul>
</section>
`;

/** The list of clients, with a search. */
export const listPage = (
  place: Place,
  { clients, next, search, others }: ClientPage & { readonly search: string; readonly others: Configured },
): PageContent => ({
  title: place.language.text('clients'),
  body: html`${place.account}<form method="get" action="${place.path}" role="search" class="row">
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
<h2><a href="${linkTo(place, { client: client.client_id })}"><bdi>${nameOf(client)}</bdi></a></h2>
<p class="soft"><code>${client.client_id}</code><br>${facts(place, client)}</p>
</section>
`,
      )
}${
    next === undefined
      ? undefined
      : html`<p class="links"><a href="${linkTo(place, { after: next, ...(search !== '' && { search }) })}">${place.language.text(
          search === '' ? 'nextPage' : 'searchFurther',
        )}</a></p>`
  }
${configured(others, place)}${ways(place, true)}`,
});

/** The form for a new client. */
export const addPage = (place: Place, form: ShownForm): PageContent => {
  const { language } = place;
  const { isPublic } = form.values;
  return {
    title: language.text('addClient'),
    body: html`${summary(form, language)}${place.account}<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, act: 'add' })}<fieldset><legend>${language.text('clientType')}</legend>
<label class="choice"><input type="radio" name="kind" value="confidential"${isPublic ? undefined : html` checked`}> ${language.text('isConfidential')}</label>
<label class="choice"><input type="radio" name="kind" value="public"${isPublic ? html` checked` : undefined}> ${language.text('isPublic')}</label></fieldset>
${fields(place, form, true)}<div class="actions"><button>${language.text('add')}</button></div>
</form>
${ways(place)}`,
  };
};

/** The only page that shows a secret. */
export const secretPage = (place: Place, client_id: string, name: string, secret: string): PageContent => {
  const { language } = place;
  return {
    title: language.text('newSecret'),
    body: html`<dl><div><dt>${language.text('name')}</dt><dd><strong><bdi>${name}</bdi></strong></dd></div>
<div><dt>${language.text('identifier')}</dt><dd><code>${client_id}</code></dd></div></dl>
<section class="secret">
<h2>${language.text('secret')}</h2>
<p>${language.text('copySecret')}</p>
${copyable(secret, language)}</section>
<p class="links"><a href="${linkTo(place, { client: client_id })}">${language.text('toClient')}</a></p>`,
  };
};

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
<select id="overlap" name="overlap">${OVERLAPS.map(
  ({ seconds, text, count }) => html`<option value="${seconds}">${place.language.text(text, { count })}</option>`,
)}</select></div>
<button class="plain">${place.language.text('createSecret')}</button>
</form>
</section>
`;

type Grants = Awaited<ReturnType<OwnerGrants['list']>>;

const grantsOf = (place: Place, client: StoredClient, { grants, next }: Grants): Html => {
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
        }) => html`<div class="row"><p><strong><bdi>${username ?? sub}</bdi></strong> <span class="soft"><code>${scope}</code><br>${
          created === undefined ? undefined : language.html('since', { date: language.day(created) })
        }${
          last === undefined ? undefined : html` · ${language.html('lastUsed', { date: language.day(last) })}`
        }</span></p>
${button(place, 'end', client, 'end', 'plain', { grant: grant_id })}</div>
`,
      )
}${
    next === undefined
      ? undefined
      : html`<p class="links"><a href="${linkTo(place, { client: client.client_id, after: next })}">${language.text('moreGrants')}</a></p>`
  }
</section>
`;
};

/** A client, with everything that can be done with it. */
export const clientPage = (
  place: Place,
  {
    client,
    form,
    grants,
    done,
  }: {
    readonly client: StoredClient;
    readonly form: ShownForm;
    readonly grants: Grants;
    readonly done: string | undefined;
  },
): PageContent => ({
  title: nameOf(client),
  heading: html`<bdi>${nameOf(client)}</bdi>`,
  body: html`${noticeText(doneText(done, place))}${summary(form, place.language)}${place.account}<p class="soft"><code>${client.client_id}</code><br>${facts(place, client)}</p>
<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, client: client.client_id, act: 'change', version: String(client.version) })}${fields(place, form, false)}<div class="actions"><button>${place.language.text('save')}</button></div>
</form>
${client.registration.client_secret === undefined ? undefined : rotation(place, client)}${grantsOf(place, client, grants)}<section>
<h2>${place.language.text('endAccess')}</h2>
<div class="row">
${[
  client.registration.disabled === true
    ? button(place, 'enable', client, 'enable', 'plain')
    : button(place, 'disable', client, 'disable', 'plain'),
  button(place, 'end_all', client, 'endAll', 'plain'),
  button(place, 'remove', client, 'removeClient', 'link danger'),
]}</div>
</section>
${ways(place)}`,
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
