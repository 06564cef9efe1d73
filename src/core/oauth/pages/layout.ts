import { type Html, html } from '../../base/html.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import { mark, type PageLink, type PageView } from '../../base/pages/layout.js';
import type { ClientLinks } from '../clients/client.js';
import type { RequestView, ScopeView, SignOutView } from './views.js';

/** Submits the form without validation, because signing out needs no code. */
export const signOutButton = ({ canSignOut }: SignOutView, language: Translator, attributes?: Html): Html | undefined =>
  canSignOut
    ? html`<button name="decision" value="sign_out" class="link" formnovalidate${attributes}>${language.text('signOut')}</button>\n`
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

/** The user, the client, and the requested scopes. */
export const request = (
  { username, clientName, scopes, resources }: RequestView,
  wants: 'clientWants' | 'deviceWants',
  language: Translator,
  /** The button for another account. */
  other?: Html,
): Html => {
  const client = html`<strong><bdi>${clientName}</bdi></strong>`;
  const who = html`<div class="account">${mark(username, undefined, true)}<div><p>${signedIn(username, language)}</p>
${other}</div></div>`;
  return scopes.length === 0
    ? html`${who}
<p>${language.html(`${wants}SignIn`, { client })}</p>${resourceText(resources, language)}`
    : html`${who}
<p>${language.html(wants, { client })}</p>
${scopeList(scopes)}${resourceText(resources, language)}`;
};

export const signedIn = (username: string, language: Translator): Html =>
  language.html('signedInAs', { user: html`<strong><bdi>${username}</bdi></strong>` });

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

/** Where else an owner may want to go: to another page, and to the front page of the site. */
export const further = (link: PageLink | undefined, { site }: PageView, language: Translator): Html =>
  html`\n<p class="links">${link && html`<a href="${link.href}">${link.text}</a>\n`}<a href="${site.home}">${language.text('backTo', { name: site.name })}</a></p>`;
