import { createHash } from 'node:crypto';
import type { FeatureHost, HttpResponse } from '../core/index.js';
import { html } from '../core/pages.js';
import type { QueryApi } from '../core/query/index.js';
import { Html } from '../core/query/toolkit.js';
import { SCRIPT, STYLE, TEXTS } from './assets.js';

type ModuleNode = QueryApi['tree'];
type ApiFrame = QueryApi['frame'];
type ApiLanguage = ApiFrame['language'];

/** The input of the page. */
export interface SandboxParts {
  /** The path of the endpoint that the page sends its requests to. The page is directly below it. */
  readonly endpoint: string;
  readonly tree: ModuleNode;
  /** Absent if users cannot sign in here. */
  readonly signIn: (FeatureHost['signIn'] & { readonly client_id: string }) | undefined;
}

/**
 * Allows only this script, lets it connect only to this origin, and prevents it from turning text into markup
 * (`require-trusted-types-for`).
 */
const policy = ({ styleSources, imageSources }: ReturnType<ApiFrame['page']>): string =>
  [
    `default-src 'none'`,
    `script-src ${SCRIPT_SOURCE}`,
    `style-src ${styleSources.join(' ')}`,
    ...(imageSources.length === 0 ? [] : [`img-src ${imageSources.join(' ')}`]),
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

const SCRIPT_SOURCE = `'sha256-${hashOf(SCRIPT)}'`;

/** A path below the mount point, relative to the page, so that it works at any mount point. */
const relative = (page: string, path: string): string => '../'.repeat(page.split('/').length - 2) + path.slice(1);

const GROUPS = [
  ['prop', 'properties'],
  ['list', 'lists'],
  ['meta', 'site'],
] as const;

/**
 * The modules of `action=query` that have an answer on this site, with their descriptions, as links to the help; the script turns them into checkboxes.
 */
const moduleLists = (tree: ModuleNode, api: string, language: ApiLanguage): readonly Html[] => {
  const query = tree.children.get('query');
  const deprecated = html` <b class="flag" lang="${language.locale}" dir="auto">${language.text('deprecated')}</b>`;
  const item = (node: ModuleNode): Html =>
    html`<li><a href="${`${api}?action=help&modules=${encodeURIComponent(node.path)}`}"><code>${node.name}</code></a> <span>${node.text}</span>${node.module.deprecated === true ? deprecated : ''}</li>
`;
  return GROUPS.map(([group, title]) => {
    const members = query?.submodules.filter((node) => node.group === group && node.unanswered !== true) ?? [];
    if (members.length === 0) return html``;
    return html`<details open data-group="${group}"><summary><code>${group}</code> · ${language.text(title)}</summary>
<ul class="modules"${language.inEnglish}>${members.map(item)}</ul></details>
`;
  });
};

/** `npm run sandbox` takes them from the texts of the API. */
const NAMES = TEXTS.split(' ') as readonly Parameters<ApiLanguage['text']>[0][];

const settings = (page: string, { endpoint, signIn }: SandboxParts, { language }: ApiFrame): Html => {
  const data: Readonly<Record<string, string | undefined>> = {
    'data-api': relative(page, endpoint),
    ...(signIn && {
      'data-client-id': signIn.client_id,
      'data-authorize': relative(page, signIn.authorize),
      'data-token': relative(page, signIn.token),
      'data-revoke': relative(page, signIn.revoke),
      'data-issuer': signIn.issuer,
    }),
    'data-texts': language.source(NAMES),
  };
  const set = Object.entries(data).filter(([, value]) => value !== undefined);
  return html`${set.map(([name, value]) => html` ${name}="${value}"`)}`;
};

const content = (page: string, { endpoint, tree, signIn }: SandboxParts, { language }: ApiFrame): Html => {
  const api = relative(page, endpoint);
  const help = html`<a href="${api}?action=help">${language.text('apiHelp')}</a>`;
  return html`<main id="content" tabindex="-1">
<h1>${language.text('sandbox')}</h1>
<div>
<noscript><section><h2>${language.text('needsScript')}</h2><p>${language.html('withoutScript', { help })}</p></section></noscript>
${
  signIn &&
  html`<section id="account" aria-label="${language.text('account')}" data-scripted hidden></section>
`
}<form id="form" autocomplete="off" novalidate>
<section id="modules" aria-labelledby="modules-title"><h2 id="modules-title">${language.text('modules')}</h2>
<p id="examples" data-scripted hidden></p>
${moduleLists(tree, api, language)}</section>
<section id="pages" data-scripted hidden aria-labelledby="pages-title"><h2 id="pages-title">${language.text('pages')}</h2></section>
<section data-scripted hidden aria-labelledby="parameters-title"><h2 id="parameters-title">${language.text('parameters')}</h2>
<div id="parameters"></div><details><summary>${language.text('moreParameters')}</summary><div id="more"></div></details></section>
</form>
</div>
<div id="outcome" data-scripted hidden>
<section id="request" aria-labelledby="request-title"><h2 id="request-title">${language.text('request')}</h2>
<div id="actions"></div></section>
<section aria-labelledby="answer-title"><h2 id="answer-title">${language.text('response')}</h2><p id="status" role="status">${language.text('nothingSent')}</p></section>
<div id="answers" tabindex="-1"></div>
</div>
</main>`;
};

/** The complete page. */
export const sandboxPage = (path: string, parts: SandboxParts, frame: ApiFrame): HttpResponse => {
  const { language } = frame;
  const page = frame.application({
    title: language.text('sandbox'),
    style: STYLE,
    attributes: settings(path, parts, frame),
    links: [
      { href: frame.address(`${relative(path, parts.endpoint)}?action=help`), text: language.text('apiHelp') },
      { href: frame.address(relative(path, path)), text: language.text('sandbox'), isCurrent: true },
    ],
    body: html`${content(path, parts, frame)}
<script type="module">${Html.trusted(SCRIPT)}</script>`,
  });
  const { source: body } = page.html;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: `"${hashOf(body)}"`,
      'content-security-policy': policy(page),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
};
