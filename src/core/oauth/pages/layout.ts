import { type Html, html, htmlDocument } from '../../base/html.js';
import type { ClientLinks } from '../clients/client.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import { styleSheet } from '../../base/pages/style.js';
import type { ConsentView, DeviceConsentView, HiddenFields, PageView, ScopeView, SignOutView } from './views.js';

/** The content of a page. */
export interface PageContent {
  /** The title of the tab and, without a `heading`, of the page. */
  readonly title: string;
  /** The heading, if it contains names. */
  readonly heading?: Html;
  /** Content above the heading, such as the logo of a client. */
  readonly above?: Html | undefined;
  /** Content below it. */
  readonly body: Html;
  /** A mark for the outcome of a decision. */
  readonly end?: 'good' | 'bad';
}

const header = ({ name, host, logo, home }: PageView['site']): Html => html`<header>
${logo === undefined ? undefined : html`<img src="${logo}" alt="">\n`}<div><a href="${home}"><bdi>${name}</bdi></a>${host === undefined || host === name ? undefined : html` <span><bdi dir="ltr">${host}</bdi></span>`}</div>
</header>`;

const footer = ({ links }: PageView['site']): Html | undefined =>
  links.length === 0
    ? undefined
    : html`\n<footer>\n${links.map(({ href, text }) => html`<a href="${href}">${text}</a>\n`)}</footer>`;

/**
 * A complete page: the frame of all pages with this content. The header has the site's name and host, the footer its links.
 *
 * @param view - The view that the template received.
 */
export const pageLayout = (view: PageView, { title, heading, above, body, end }: PageContent): Html =>
  htmlDocument({
    title: `${title} · ${view.site.name}`,
    lang: view.locale,
    dir: view.dir,
    style: styleSheet(view.site.accent),
    robots: 'noindex',
    attributes: end && html` class="${end}"`,
    body: html`${header(view.site)}
<main>
${above}<h1>${heading ?? title}</h1>
${body}
</main>${footer(view.site)}`,
  });

export const hiddenInputs = (fields: HiddenFields): readonly Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);

/** Submits the form without validation, because signing out needs no code. */
export const signOutButton = ({ canSignOut }: SignOutView, language: Translator): Html | undefined =>
  canSignOut
    ? html`<button name="decision" value="sign_out" class="link" formnovalidate>${language.text('signOut')}</button>\n`
    : undefined;

export const decisionButtons = (language: Translator): Html => html`<div class="actions">
<button name="decision" value="approve">${language.text('allow')}</button>
<button name="decision" value="deny" class="plain">${language.text('deny')}</button>
</div>`;

export const problemText = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html`<p class="problem" role="alert" id="problem">${problem}</p>`;

/** Attributes of a field with a problem. */
export const invalid = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;

/** Texts from the options, in any language. */
export const scopeList = (scopes: readonly ScopeView[]): Html =>
  html`<ul>\n${scopes.map(({ description }) => html`<li><bdi>${description}</bdi></li>\n`)}</ul>`;

/** The user, the client, and the requested scopes. */
export const request = (
  { username, clientName, scopes }: ConsentView | DeviceConsentView,
  wants: 'clientWants' | 'deviceWants',
  language: Translator,
): Html => {
  const client = html`<strong><bdi>${clientName}</bdi></strong>`;
  const who = signedIn(username, language);
  return scopes.length === 0
    ? html`<p>${who}</p>
<p>${language.html(`${wants}SignIn`, { client })}</p>`
    : html`<p>${who}</p>
<p>${language.html(wants, { client })}</p>
${scopeList(scopes)}`;
};

export const signedIn = (username: string, language: Translator): Html =>
  language.html('signedInAs', { user: html`<strong><bdi>${username}</bdi></strong>` });

/** The logo is decorative, because the name follows it. */
export const clientLogo = ({ logoUri }: ClientLinks): Html | undefined =>
  logoUri === undefined ? undefined : html`<img class="client" src="${logoUri}" alt="">\n`;

const LINKS = [
  ['clientUri', 'website'],
  ['policyUri', 'privacyPolicy'],
  ['tosUri', 'termsOfService'],
] as const satisfies readonly (readonly [keyof ClientLinks, string])[];

/** Links about a client, each with its host, in a new tab without a referrer. */
export const clientLinks = (links: ClientLinks, language: Translator): Html | undefined => {
  const found = LINKS.flatMap(([name, text]) => {
    const uri = links[name];
    return uri === undefined ? [] : [{ uri, text: language.html(text, { host: new URL(uri).host }) }];
  });
  return found.length === 0
    ? undefined
    : html`<div class="soft"><p>${language.text('about')}</p>
<ul class="links">
${found.map(({ uri, text }) => html`<li><a href="${uri}" target="_blank" rel="noreferrer noopener">${text}</a></li>\n`)}</ul></div>
`;
};

/** The link to the page on which access can be revoked. */
export const changeLater = (grantsPath: string | undefined, language: Translator): Html | undefined =>
  grantsPath === undefined
    ? undefined
    : html`\n<p class="soft">${language.html('changeLater', { page: html`<a href="${grantsPath}">${language.text('connectedApps')}</a>` })}</p>`;
