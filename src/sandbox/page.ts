import { createHash } from 'node:crypto';
import type { SignInPaths } from '../core/base/feature.js';
import { Html, html, htmlDocument } from '../core/base/html.js';
import type { HttpResponse } from '../core/base/http/messages.js';
import { helpQuery, type ModuleNode, submodulesOf } from '../core/query/describe/module-tree.js';
import { textOfModule } from '../core/query/describe/texts/help-text.js';
import type { Site } from '../core/query/site/site.js';
import { SCRIPT, STYLE } from './assets.js';

/** The input of the page. */
export interface SandboxParts {
  /** The path of the endpoint that the page sends its requests to. The page is directly below it. */
  readonly endpoint: string;
  readonly tree: ModuleNode;
  readonly site: Site;
  /** Absent if users cannot sign in here. */
  readonly signIn: (SignInPaths & { readonly client_id: string }) | undefined;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');

/**
 * Allows only this script, lets it connect only to this origin, and prevents it from turning text into markup
 * (`require-trusted-types-for`).
 */
const policy = (): string =>
  [
    `default-src 'none'`,
    `script-src 'sha256-${hash(SCRIPT)}'`,
    `style-src 'sha256-${hash(STYLE)}'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');

/** A path below the mount point, relative to the page, so that it works at any mount point. */
const relative = (page: string, path: string): string => '../'.repeat(page.split('/').length - 2) + path.slice(1);

const GROUPS = [
  ['prop', 'prop: information about pages'],
  ['list', 'list: lists of pages, changes and users'],
  ['meta', 'meta: the site and the caller'],
] as const;

/**
 * The modules of `action=query` with their descriptions, as links to the help; the script turns them into checkboxes.
 */
const moduleLists = (tree: ModuleNode, api: string): readonly Html[] => {
  const query = tree.children.get('query');
  return GROUPS.map(([group, title]) => {
    const members = query === undefined ? [] : submodulesOf(query).filter((node) => node.group === group);
    return html`<details open data-group="${group}"><summary>${title}</summary>
<ul class="modules">${members.map(
      (
        node,
      ) => html`<li data-module="${node.name}"${node.unanswered === true ? html` data-unanswered` : ''}><a href="${api + helpQuery(node)}"><code>${node.name}</code></a> <span>${textOfModule(node).text}</span>${
        node.module.deprecated === true ? html` <b class="mark">deprecated</b>` : ''
      }${node.unanswered === true ? html` <b class="mark">not available on this site</b>` : ''}</li>
`,
    )}</ul></details>
`;
  });
};

const settings = (page: string, { endpoint, signIn }: SandboxParts): Html => {
  const data: Readonly<Record<string, string | undefined>> = {
    'data-api': relative(page, endpoint),
    ...(signIn && {
      'data-client-id': signIn.client_id,
      'data-authorize': relative(page, signIn.authorize),
      'data-token': relative(page, signIn.token),
      'data-revoke': relative(page, signIn.revoke),
      'data-issuer': signIn.issuer,
    }),
  };
  const set = Object.entries(data).filter(([, value]) => value !== undefined);
  return html`${set.map(([name, value]) => html` ${name}="${value}"`)}`;
};

const content = (page: string, { endpoint, tree, signIn }: SandboxParts): Html => {
  const api = relative(page, endpoint);
  return html`<main id="content" tabindex="-1">
<div>
<noscript><section><h2>This page needs JavaScript</h2><p>Without JavaScript, you can <a href="${api}?action=help">read the API help</a>; each module below links to its description and example requests.</p></section></noscript>
${
  signIn &&
  html`<section id="account" aria-label="Account" data-scripted hidden></section>
`
}<p id="examples" data-scripted hidden></p>
<form id="form" autocomplete="off" novalidate>
<section id="modules" aria-labelledby="modules-title"><h2 id="modules-title">Modules</h2>
${moduleLists(tree, api)}</section>
<section id="pages" data-scripted hidden aria-labelledby="pages-title"><h2 id="pages-title">Pages</h2></section>
<section data-scripted hidden aria-labelledby="parameters-title"><h2 id="parameters-title">Parameters</h2>
<div id="parameters"></div><details><summary>More parameters</summary><div id="more"></div></details></section>
</form>
</div>
<div id="outcome" data-scripted hidden>
<section id="request" aria-labelledby="request-title"><h2 id="request-title">Request</h2>
<div id="actions"></div></section>
<section aria-labelledby="answer-title"><h2 id="answer-title">Response</h2><p id="status" role="status">No request has been sent yet.</p></section>
<div id="answers" tabindex="-1"></div>
</div>
</main>`;
};

/** The complete page. */
export const sandboxPage = (path: string, parts: SandboxParts): HttpResponse => {
  const title = `API sandbox of ${parts.site.name}`;
  const body = htmlDocument({
    title,
    style: STYLE,
    robots: 'noindex, nofollow',
    attributes: settings(path, parts),
    body: html`<header><a class="skip" href="#content">Skip to the form</a><h1>${title}</h1>
<p><a href="${relative(path, parts.endpoint)}?action=help">API help</a></p></header>
${content(path, parts)}
<script type="module">${Html.trusted(SCRIPT)}</script>`,
  }).source;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: `"${hash(body)}"`,
      'content-security-policy': policy(),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
};
