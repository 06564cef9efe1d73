import { type Html, html } from '../../base/html.js';
import { hiddenInputs, noticeText, problemText } from '../../base/pages/forms.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import { pageLayout } from '../../base/pages/layout.js';
import { further, scopeList, signedIn, signOutButton } from './layout.js';
import type { PersonalTokenView, TokensView } from './views.js';

const token = (one: PersonalTokenView, language: Translator): Html => html`<section>
<h2><bdi>${one.name}</bdi></h2>
${scopeList(one.scopes)}
<p class="soft">${one.created === undefined ? undefined : language.html('createdOn', { date: language.day(one.created) })} ${one.lastUsed === undefined ? language.text('neverUsed') : language.html('lastUsedOn', { date: language.day(one.lastUsed) })} ${language.html('expiresOn', { date: language.day(one.expires) })}</p>
<button name="revoke" value="${one.id}" class="plain">${language.html('endToken', { name: one.name })}</button>
</section>
`;

const created = (text: string, language: Translator): Html => html`<section class="secret">
<h2>${language.text('yourToken')}</h2>
<p>${language.text('copyToken')}</p>
<p class="code" dir="ltr">${text}</p>
</section>
`;

const scopeChoice = ({ field, description, isChosen }: TokensView['scopes'][number]): Html =>
  html`<label class="choice"><input type="checkbox" name="${field}" value="1"${isChosen ? html` checked` : undefined}> <bdi>${description}</bdi></label>
`;

const form = (view: TokensView, language: Translator): Html => html`<section>
<h2>${language.text('newToken')}</h2>
<form method="post" action="${view.action}">
${problemText(view.problem)}${hiddenInputs(view.hidden)}<div><label for="name">${language.text('tokenName')}</label>
<input id="name" name="name" maxlength="100" dir="auto" autocomplete="off" required value="${view.name}" aria-describedby="hint${view.problemCode === 'no_token_name' ? ' problem' : undefined}"${view.problemCode === 'no_token_name' ? html` aria-invalid="true"` : undefined}>
<p class="soft hint" id="hint">${language.text('tokenNameHint')}</p></div>
<fieldset><legend>${language.text('tokenScopes')}</legend>
${view.scopes.map(scopeChoice)}</fieldset>
<div><label for="days">${language.text('tokenExpiry')}</label>
<select id="days" name="days">${view.days.map((count) => html`<option value="${count}"${count === view.selectedDays ? html` selected` : undefined}>${language.text('days', { count })}</option>`)}</select></div>
<div class="actions"><button name="decision" value="create">${language.text('createToken')}</button></div>
</form>
</section>
`;

/** Lists personal tokens, with a form for another one below. */
export const tokens = (view: TokensView, language: Translator): Html => {
  const { tokens: all } = view;
  const apps = { href: view.grantsPath, text: language.text('connectedApps') };
  return pageLayout(view, {
    title: language.text('personalTokens'),
    body: html`${noticeText(view.notice)}<p>${signedIn(view.username, language)} ${language.text('tokensExplained')}</p>
${view.created === undefined ? undefined : created(view.created, language)}${all.length === 0 ? html`<p>${language.text('noTokens')}</p>\n` : undefined}<form method="post" action="${view.action}" id="list">
${hiddenInputs(view.hidden)}${all.map((one) => token(one, language))}</form>
${view.scopes.length === 0 ? undefined : form(view, language)}<div class="quiet">${all.length > 1 ? html`<button form="list" name="decision" value="revoke_all" class="link danger">${language.text('endAllTokens')}</button>\n` : undefined}${signOutButton(view, language, html` form="list"`)}</div>${further(apps, view, language)}`,
  });
};
