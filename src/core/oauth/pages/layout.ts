import { type Html, html } from '../../base/html.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import { mark, type PageLink, type PageView } from '../../base/pages/layout.js';
import type { ClientLinks } from '../clients/client.js';
import type { AccountView, RequestView, ScopeView, SignOutView } from './views.js';

/** A name that stands out. */
export const strong = (text: string): Html => html`<strong><bdi>${text}</bdi></strong>`;

/** A button that signs out, of the form with this id. */
export const signOutButton = (
  { canSignOut }: SignOutView,
  text: 'signOut' | 'switchAccount',
  form: string,
  language: Translator,
): Html | undefined =>
  canSignOut
    ? html`<button form="${form}" name="decision" value="sign_out" class="link">${language.text(text)}</button>`
    : undefined;

export const decisionButtons = (language: Translator): Html => html`<div class="actions">
<button name="decision" value="approve">${language.text('allow')}</button>
<button name="decision" value="deny" class="plain">${language.text('deny')}</button>
</div>`;

/** Attributes of a field with a problem. */
export const invalid = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;

/** Texts from the options, in any language. */
export const scopeList = (scopes: readonly ScopeView[]): Html =>
  html`<ul>\n${scopes.map(({ description }) => html`<li><bdi>${description}</bdi></li>\n`)}</ul>`;

/** The resources that an access is for. */
export const resourceText = (resources: readonly string[], language: Translator): Html | undefined =>
  resources.length === 0
    ? undefined
    : html`\n<p class="soft">${language.html('accessTo', { resource: html`<bdi>${resources.join(', ')}</bdi>` })}</p>`;

/** The client, and the requested scopes. */
export const request = ({ clientName, scopes, resources }: RequestView, language: Translator): Html => {
  const client = html`<strong><bdi>${clientName}</bdi></strong>`;
  return scopes.length === 0
    ? html`<p>${language.html('clientWantsSignIn', { client })}</p>${resourceText(resources, language)}`
    : html`<p>${language.html('clientWants', { client })}</p>
${scopeList(scopes)}${resourceText(resources, language)}`;
};

/** The account of the signed-in user. @param other - The button to sign out, or for another account. */
export const account = ({ username, email }: AccountView, language: Translator, other: Html | undefined): Html =>
  html`<div class="account">${mark(username, undefined, true)}<div><p>${language.html('signedInAs', { user: html`<strong><bdi>${username}</bdi></strong>` })}</p>
${email === undefined ? undefined : html`<p class="soft"><bdi>${email}</bdi></p>\n`}${other}</div></div>
`;

/** The application and the site that it wants access to. */
export const pair = ({ site, clientName, logoUri }: RequestView): Html =>
  html`<div class="pair">${mark(clientName, logoUri, true)}${mark(site.name, site.logo)}</div>\n`;

const LINKS = [
  ['clientUri', 'website'],
  ['policyUri', 'privacyPolicy'],
  ['tosUri', 'termsOfService'],
] as const satisfies readonly (readonly [keyof ClientLinks, string])[];

/** Links about a client by their host, in a new tab without a referrer. */
export const clientLinks = (links: ClientLinks, language: Translator): readonly Html[] => {
  const byHost = new Map<string, Html[]>();
  for (const [name, text] of LINKS) {
    const uri = links[name];
    if (uri === undefined) continue;
    const { host } = new URL(uri);
    const link = html`<a href="${uri}" target="_blank" rel="noreferrer noopener">${language.text(text)}</a>\n`;
    byHost.set(host, [...(byHost.get(host) ?? []), link]);
  }
  return [...byHost].map(
    ([host, found]) => html`<div class="soft"><p>${language.html('about', { host })}</p>
<p class="links">${found}</p></div>
`,
  );
};

/** The link to the page on which access can be revoked. */
export const changeLater = (grantsPath: string | undefined, language: Translator): Html | undefined =>
  grantsPath === undefined
    ? undefined
    : html`\n<p class="soft">${language.html('changeLater', { page: html`<a href="${grantsPath}">${language.text('connectedApps')}</a>` })}</p>`;

/** Where else an owner may want to go: to other pages of the account, and to the front page of the site. */
export const further = (links: readonly PageLink[], { site }: PageView, language: Translator): Html =>
  html`\n<p class="links">${links.map(({ href, text }) => html`<a href="${href}">${text}</a>\n`)}<a href="${site.home}">${language.text('backTo', { name: site.name })}</a></p>`;
