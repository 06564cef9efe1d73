import type { ClientPage, StoredClient } from '../clients/stored-client.js';
import { type Html, html } from '../core/base/html.js';
import { hiddenInputs, noticeText, problemText } from '../core/base/pages/forms.js';
import type { PageContent } from '../core/base/pages/layout.js';
import type { GrantPage } from '../core/oauth/owners/listed-grants.js';
import type { FormValues } from './registration-form.js';

/** Where the pages are, and for whom. */
export interface Place {
  readonly path: string;
  /** Fields of every form. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** What asks before it is done. */
export const QUESTIONS = {
  disable: {
    ask: 'Disable',
    explain: 'The client is rejected everywhere, and its tokens stop working, until you enable it again.',
  },
  remove: { ask: 'Remove', explain: 'The client, its grants and its tokens end immediately. This cannot be undone.' },
  end_all: {
    ask: 'End all grants of',
    explain: 'All tokens of the client stop working immediately. Its users have to connect it again.',
  },
  end: { ask: 'End this grant of', explain: 'The tokens of this grant stop working immediately.' },
} as const;

const DONE: Readonly<Record<string, string>> = {
  add: 'The client was added.',
  change: 'Your changes were saved.',
  disable: 'The client is disabled.',
  enable: 'The client is enabled.',
  end_all: 'All grants of the client have ended.',
  end: 'The grant has ended.',
};

const day = (seconds: number | undefined): Html | undefined => {
  if (seconds === undefined) return undefined;
  const text = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)}</time>`;
};

const linkTo = ({ path }: Place, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;

const isPublic = ({ registration }: StoredClient): boolean =>
  registration.client_secret === undefined && registration.jwks === undefined;

const facts = (client: StoredClient): Html =>
  html`${isPublic(client) ? 'Public' : 'Confidential'}${client.registration.disabled === true ? html` · <strong class="bad-text">Disabled</strong>` : undefined} · Changed ${day(client.changedAt / 1000)}`;

/** The list of clients, with a search. */
export const listPage = (
  place: Place,
  { clients, next, search }: ClientPage & { readonly search: string },
): PageContent => ({
  title: 'Clients',
  body: html`<form method="get" action="${place.path}" role="search" class="row">
<div><label for="search">Search by name or identifier</label>
<input id="search" name="search" type="search" value="${search}" dir="auto"></div>
<button class="plain">Search</button>
<a class="button accent" href="${linkTo(place, { new: '1' })}">Add a client</a>
</form>
${
  clients.length === 0
    ? html`<p>${search === '' ? 'There are no clients yet.' : 'No client was found.'}</p>`
    : clients.map(
        (client) => html`<section>
<h2><a href="${linkTo(place, { client: client.client_id })}"><bdi>${client.registration.client_name ?? client.client_id}</bdi></a></h2>
<p class="soft"><code>${client.client_id}</code><br>${facts(client)}</p>
</section>
`,
      )
}${next === undefined ? undefined : html`<p class="links"><a href="${linkTo(place, { after: next, ...(search !== '' && { search }) })}">${search === '' ? 'Next page' : 'Search further'}</a></p>`}`,
});

interface Field {
  readonly name: keyof FormValues;
  readonly label: string;
  readonly hint?: string;
  readonly isLong?: true;
}

const FORM: readonly Field[] = [
  { name: 'client_name', label: 'Name', hint: 'Shown to users who are asked for consent.' },
  { name: 'redirect_uris', label: 'Redirect URIs', hint: 'One on each line.', isLong: true },
  {
    name: 'grant_types',
    label: 'Grant types',
    hint: 'One on each line, such as authorization_code, refresh_token, client_credentials or device_code. Empty for the usual ones.',
    isLong: true,
  },
  { name: 'scope', label: 'Scopes', hint: 'Separated by spaces. Empty for all.' },
  { name: 'client_uri', label: 'Website' },
  { name: 'logo_uri', label: 'Logo' },
  { name: 'policy_uri', label: 'Privacy policy' },
  { name: 'tos_uri', label: 'Terms of service' },
];

const fieldOf = ({ name, label, hint, isLong }: Field, values: FormValues): Html => {
  const described = hint === undefined ? undefined : html` aria-describedby="${name}-hint"`;
  return html`<div><label for="${name}">${label}</label>
${
  isLong === true
    ? html`<textarea id="${name}" name="${name}" rows="3" dir="ltr" spellcheck="false"${described}>${values[name]}</textarea>`
    : html`<input id="${name}" name="${name}" dir="auto" autocomplete="off" spellcheck="false" value="${values[name]}"${described}>`
}${
    hint === undefined
      ? undefined
      : html`
<p class="soft hint" id="${name}-hint">${hint}</p>`
  }</div>
`;
};

const back = (place: Place): Html => html`<p class="links"><a href="${place.path}">All clients</a></p>`;

/** The form for a new client. */
export const addPage = (place: Place, values: FormValues, problem?: string): PageContent => ({
  title: 'Add a client',
  body: html`${problemText(problem)}<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, act: 'add' })}<fieldset><legend>Can it keep a secret?</legend>
<label class="choice"><input type="radio" name="kind" value="confidential"${values.kind === 'public' ? undefined : html` checked`}> Yes: it runs on a server, and gets a secret</label>
<label class="choice"><input type="radio" name="kind" value="public"${values.kind === 'public' ? html` checked` : undefined}> No: it is a single-page, mobile or desktop app</label></fieldset>
${fieldOf({ name: 'client_id', label: 'Identifier', hint: 'Empty for a random one.' }, values)}${FORM.map((field) => fieldOf(field, values))}<div class="actions"><button>Add client</button></div>
</form>
${back(place)}`,
});

/** The only page that shows a secret. */
export const secretPage = (place: Place, client_id: string, secret: string): PageContent => ({
  title: 'New secret',
  body: html`<section class="secret">
<h2><code>${client_id}</code></h2>
<p>Copy the secret now. It will not be shown again.</p>
<p class="code" dir="ltr">${secret}</p>
</section>
<p class="links"><a href="${linkTo(place, { client: client_id })}">Go to the client</a></p>`,
});

const button = (
  place: Place,
  act: string,
  client: StoredClient,
  text: string,
  kind: string,
  more: Readonly<Record<string, string>> = {},
): Html =>
  html`<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, client: client.client_id, ...more })}<button name="act" value="${act}" class="${kind}">${text}</button>
</form>
`;

const rotation = (place: Place, client: StoredClient): Html => html`<section>
<h2>Secret</h2>
<form method="post" action="${place.path}" class="row">
${hiddenInputs({ ...place.hidden, client: client.client_id, act: 'rotate' })}<div><label for="overlap">The present secret stays valid for</label>
<select id="overlap" name="overlap"><option value="86400">1 day</option><option value="604800">7 days</option><option value="3600">1 hour</option><option value="0">no longer</option></select></div>
<button class="plain">Create a new secret</button>
</form>
</section>
`;

const grantsOf = (place: Place, client: StoredClient, { grants, next }: GrantPage): Html => html`<section>
<h2>Grants</h2>
${
  grants.length === 0
    ? html`<p>No user has connected this client.</p>`
    : grants.map(
        (
          grant,
        ) => html`<div class="row"><p><strong><bdi>${grant.username ?? grant.sub}</bdi></strong> <span class="soft"><code>${grant.scope}</code><br>Since ${day(grant.created)}${grant.last_refreshed === undefined ? undefined : html`, last used ${day(grant.last_refreshed)}`}</span></p>
${button(place, 'end', client, 'End', 'plain', { grant: grant.grant_id })}</div>
`,
      )
}${next === undefined ? undefined : html`<p class="links"><a href="${linkTo(place, { client: client.client_id, after: next })}">More grants</a></p>`}
</section>
`;

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
    readonly problem: string | undefined;
  },
): PageContent => ({
  title: client.registration.client_name ?? client.client_id,
  heading: html`<bdi>${client.registration.client_name ?? client.client_id}</bdi>`,
  body: html`${noticeText(done === undefined || DONE[done] === undefined ? undefined : html`${DONE[done]}`)}${problemText(problem)}<p class="soft"><code>${client.client_id}</code><br>${facts(client)}</p>
<form method="post" action="${place.path}">
${hiddenInputs({ ...place.hidden, client: client.client_id, act: 'change', version: String(client.version) })}${FORM.map((field) => fieldOf(field, values))}<div class="actions"><button>Save changes</button></div>
</form>
${client.registration.client_secret === undefined ? undefined : rotation(place, client)}${grantsOf(place, client, grants)}<section>
<h2>End access</h2>
<div class="row">
${client.registration.disabled === true ? button(place, 'enable', client, 'Enable the client', 'plain') : button(place, 'disable', client, 'Disable the client', 'plain')}${button(place, 'end_all', client, 'End all grants', 'plain')}${button(place, 'remove', client, 'Remove the client', 'link danger')}</div>
</section>
${back(place)}`,
});

/** For everyone else. */
export const notAdmin = (): PageContent => ({
  title: 'This page is for administrators',
  body: html`<p>Sign in with an account that may manage clients.</p>`,
  end: 'bad',
  isWide: false,
});
