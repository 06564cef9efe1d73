import { Html, html } from '../../base/html.js';
import { confirmContent, hiddenInputs, noticeText, problemText } from '../../base/pages/forms.js';
import { hashSource } from '../../base/pages/frame.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import { mark, type PageView, pageLayout } from '../../base/pages/layout.js';
import {
  account,
  changeLater,
  clientLinks,
  decisionButtons,
  further,
  invalid,
  pair,
  request,
  resourceText,
  scopeList,
  signOutButton,
  strong,
} from './layout.js';
import type { ConfirmView, ConnectedAppView, ConsentView, ErrorView, GrantsView, LoginView } from './views.js';

/** Shows the password while its button is pressed. The page works without it, and its content security policy names its hash. */
export const SHOW_PASSWORD = `{
const button = document.getElementById('show'), field = document.getElementById('password');
const show = function (isShown) { field.type = isShown ? 'text' : 'password'; button.setAttribute('aria-pressed', isShown); };
button.hidden = false;
button.onclick = function () { show(field.type === 'password'); };
field.form.onsubmit = function () { show(false); };
}`;

/** The choice between the signed-in account and another one. */
const continueForm = ({ action, hidden, continueAs }: LoginView, language: Translator): Html | undefined =>
  continueAs === undefined
    ? undefined
    : html`<form method="post" action="${action}">
${hiddenInputs(hidden)}<div class="actions"><button name="decision" value="continue">${language.html('continueAs', { user: continueAs })}</button></div>
</form>
<p>${language.text('useAnotherAccount')}</p>
`;

/** The first field has the focus; after a failed attempt, that is the password. */
const login = (view: LoginView, language: Translator): Html => {
  const site = strong(view.site.name);
  const purpose =
    view.clientName === undefined
      ? language.html('signInTo', { site })
      : language.html('signInToContinue', { site, client: strong(view.clientName) });
  const [first, second] = view.problem === undefined ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
  return pageLayout(view, {
    title: language.text('signIn'),
    body: html`<p>${purpose}</p>
${continueForm(view, language)}${problemText(view.problem)}
<form method="post" action="${view.action}">
${hiddenInputs(view.hidden)}<div><label for="username">${language.text('userName')}</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" dir="auto" required${first} value="${view.username}"${invalid(view.problem)}></div>
<div class="field"><label for="password">${language.text('password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${second}${view.problem === undefined ? undefined : html` aria-invalid="true"`}>
<button type="button" id="show" class="link" aria-pressed="false" aria-controls="password" hidden>${language.text('showPassword')}</button></div>
<div class="actions"><button>${language.text('signIn')}</button></div>
</form>${view.links.length === 0 ? undefined : html`\n<p class="links">${view.links.map(({ href, text }) => html`<a href="${href}">${text}</a>\n`)}</p>`}
<script>${Html.content(SHOW_PASSWORD)}</script>`,
  });
};

/** What is to be known about a client with a document or its own registration, in one place. */
const warning = (view: ConsentView, language: Translator): Html | undefined => {
  const { redirectHost: host, clientHost, selfNamed, toLoopback } = view;
  if (clientHost === undefined && selfNamed !== true) return undefined;
  const origin =
    clientHost === undefined
      ? language.text('selfRegistered')
      : language.html('describedAt', { host: strong(clientHost) });
  const advice =
    toLoopback === true
      ? html` <strong>${language.text('justStarted')}</strong> ${language.text('anyProgram')}`
      : selfNamed === true
        ? html` <strong>${language.html('trustHost', { host })}</strong>`
        : undefined;
  return html`<p class="note">${origin}${advice}</p>
`;
};

/** No button has the focus, so that a key pressed for another page cannot decide. */
const consent = (view: ConsentView, language: Translator): Html =>
  pageLayout(view, {
    title: language.text('allowClient', { client: view.clientName }),
    heading: language.html('allowClient', { client: view.clientName }),
    above: pair(view),
    body: html`${account(view, language, view.canSwitch ? html`<button form="decision" name="decision" value="switch" class="link">${language.text('switchAccount')}</button>` : undefined)}${request(view, language)}
${warning(view, language)}${clientLinks(view, language)}<p class="soft">${language.html('returnsTo', { host: strong(view.redirectHost) })}</p>
<form method="post" action="${view.action}" id="decision">
${hiddenInputs(view.hidden)}${decisionButtons(language)}
</form>${changeLater(view.grantsPath, language)}`,
  });

/** Who else decides about an application. */
const connectedBy = ({ connectedBy: hosts, isAlsoOwn }: ConnectedAppView, language: Translator): Html | undefined =>
  hosts && html` ${language.html(isAlsoOwn ? 'alsoConnectedBy' : 'connectedBy', { host: strong(hosts.join(', ')) })}`;

const connectedApp = (app: ConnectedAppView, index: number, language: Translator): Html => html`<section>
<h2 id="app-${index}">${mark(app.clientName, app.logoUri, true)}<bdi>${app.clientName}</bdi></h2>
${app.scopes.length === 0 ? html`<p>${language.text('knowsSignIn')}</p>` : scopeList(app.scopes)}${resourceText(app.resources, language)}
<p class="soft">${app.created === undefined ? undefined : language.html('connectedOn', { date: language.day(app.created) })}${app.lastUsed === undefined ? undefined : html` ${language.html('lastUsedOn', { date: language.day(app.lastUsed) })}`}${connectedBy(app, language)}</p>
<button name="disconnect" value="${app.clientId}" class="plain" id="end-${index}" aria-labelledby="end-${index} app-${index}">${language.text('disconnect')}</button>
</section>
`;

const grants = (view: GrantsView, language: Translator): Html => {
  const { apps } = view;
  const summary = apps.length === 0 ? language.text('noApps') : language.html('apps', { count: apps.length });
  return pageLayout(view, {
    title: language.text('connectedApps'),
    isWide: apps.length > 1,
    body: html`${noticeText(view.notice)}${account(view, language, signOutButton(view, 'signOut', 'list', language))}<p>${summary}</p>
<form method="post" action="${view.action}" id="list">
${hiddenInputs(view.hidden)}<div class="cards">${apps.map((app, index) => connectedApp(app, index, language))}</div>${apps.length > 1 ? html`<p><button name="decision" value="disconnect_all" class="link danger">${language.text('disconnectAll')}</button></p>\n` : undefined}</form>${further(view.accountPages, view, language)}`,
  });
};

const confirm = (view: ConfirmView): Html => pageLayout(view, confirmContent(view));

/** A heading has no full stop. */
const asHeading = (sentence: string): string => sentence.replace(/[.。]$/u, '');

const error = (view: ErrorView, language: Translator): Html =>
  pageLayout(view, {
    title: asHeading(view.message),
    body: html`${view.advice && html`<p>${view.advice}</p>\n`}${view.explanation === undefined ? undefined : html`<p class="note"><strong>${language.text('inDevelopment')}</strong> <bdi lang="en" dir="ltr">${view.explanation}</bdi></p>\n`}<p><a href="${view.back.href}">${view.back.text}</a></p>
${view.reference === undefined ? undefined : html`<p class="soft">${language.html('reference', { reference: view.reference })}</p>`}`,
    end: 'bad',
  });

/** A built-in page: plain HTML that works without JavaScript. */
export interface BuiltInPage<View extends PageView & { readonly page: string }> {
  readonly page: View['page'];
  readonly html: (view: View, language: Translator) => Html;
  /** The hashes of its scripts. */
  readonly scripts?: readonly string[];
}

export const LOGIN_PAGE: BuiltInPage<LoginView> = { page: 'login', html: login, scripts: [hashSource(SHOW_PASSWORD)] };
export const CONSENT_PAGE: BuiltInPage<ConsentView> = { page: 'consent', html: consent };
export const GRANTS_PAGE: BuiltInPage<GrantsView> = { page: 'grants', html: grants };
export const CONFIRM_PAGE: BuiltInPage<ConfirmView> = { page: 'confirm', html: confirm };
export const ERROR_PAGE: BuiltInPage<ErrorView> = { page: 'error', html: error };
