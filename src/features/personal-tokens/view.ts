import type { FeatureHost, OwnerVisit } from '../../core/feature/index.js';
import {
  copyable,
  hiddenInputs,
  type Html,
  html,
  noticeText,
  type PageContent,
  problemText,
} from '../../core/pages.js';

type Language = OwnerVisit['frame']['language'];
type Token = Awaited<ReturnType<FeatureHost['personalTokens']['list']>>[number];
type Described = ReturnType<FeatureHost['describeScopes']>;

/** Why no token was created. */
export type Problem = 'no_token_name' | 'no_token_scope' | 'too_many_tokens' | 'token_already_created';

/** What an owner wants of a token. */
export interface Wanted {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly days: number;
}

/** What the page shows. */
interface Shown {
  readonly hidden: Readonly<Record<string, string>>;
  readonly tokens: readonly (Token & { readonly described: Described })[];
  readonly choices: readonly { readonly field: string; readonly description: string; readonly isChosen: boolean }[];
  readonly days: readonly number[];
  readonly selectedDays: number;
  readonly name: string;
  readonly problem: Problem | undefined;
  /** A token that was just created. It is not shown again. */
  readonly created: string | undefined;
  readonly notice: Html | undefined;
}

const tokenCard = (one: Shown['tokens'][number], index: number, language: Language): Html => html`<section>
<h2 id="token-${index}"><bdi>${one.name}</bdi></h2>
<ul>\n${one.described.map(({ description }) => html`<li><bdi>${description}</bdi></li>\n`)}</ul>
<p class="soft">${one.created === undefined ? undefined : language.html('createdOn', { date: language.day(one.created) })} ${one.lastUsed === undefined ? language.text('neverUsed') : language.html('lastUsedOn', { date: language.day(one.lastUsed) })} ${language.html('expiresOn', { date: language.day(one.expires) })}</p>
<button name="revoke" value="${one.id}" class="plain" id="end-${index}" aria-labelledby="end-${index} token-${index}">${language.text('endToken')}</button>
</section>
`;

const createdText = (text: string, language: Language): Html => html`<section class="secret">
<h2>${language.text('yourToken')}</h2>
<p>${language.text('copyToken')}</p>
${copyable(text, language)}</section>
`;

const scopeChoice = ({ field, description, isChosen }: Shown['choices'][number]): Html =>
  html`<label class="choice"><input type="checkbox" name="${field}" value="1"${isChosen ? html` checked` : undefined}> <bdi>${description}</bdi></label>
`;

const createForm = (shown: Shown, path: string, language: Language): Html => {
  const isNameless = shown.problem === 'no_token_name';
  return html`<section class="column">
<h2>${language.text('newToken')}</h2>
<form method="post" action="${path}">
${problemText(shown.problem && language.text(shown.problem))}${hiddenInputs(shown.hidden)}<div><label for="name">${language.text('tokenName')}</label>
<input id="name" name="name" maxlength="100" dir="auto" autocomplete="off" required value="${shown.name}" aria-describedby="hint${isNameless ? ' problem' : undefined}"${isNameless ? html` aria-invalid="true"` : undefined}>
<p class="soft hint" id="hint">${language.text('tokenNameHint')}</p></div>
<fieldset><legend>${language.text('tokenScopes')}</legend>
${shown.choices.map(scopeChoice)}</fieldset>
<div><label for="days">${language.text('tokenExpiry')}</label>
<select id="days" name="days">${shown.days.map((count) => html`<option value="${count}"${count === shown.selectedDays ? html` selected` : undefined}>${language.text('days', { count })}</option>`)}</select></div>
<div class="actions"><button name="decision" value="create">${language.text('createToken')}</button></div>
</form>
</section>
`;
};

/** The tokens, with a form for another one below. */
export const tokensContent = ({ account, links, frame, path }: OwnerVisit, shown: Shown): PageContent => {
  const { language } = frame;
  const { tokens, created, hidden, choices, notice } = shown;
  return {
    title: language.text('personalTokens'),
    isWide: tokens.length > 1,
    body: html`${noticeText(notice)}${account}<p>${language.text('tokensExplained')}</p>
${created === undefined ? undefined : createdText(created, language)}${tokens.length === 0 ? html`<p>${language.text('noTokens')}</p>\n` : undefined}<form method="post" action="${path}" id="list">
${hiddenInputs(hidden)}<div class="cards">${tokens.map((one, index) => tokenCard(one, index, language))}</div>${tokens.length > 1 ? html`<p><button name="decision" value="revoke_all" class="link danger">${language.text('endAllTokens')}</button></p>\n` : undefined}</form>
${choices.length === 0 ? undefined : createForm(shown, path, language)}${links}`,
  };
};
