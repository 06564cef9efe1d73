import { html, pageLayout } from 'oauth-query/pages';
import type { Page } from './app.js';
import { flowAddresses } from './guide.js';

/** What the page depends on. */
interface FrontPage {
  readonly base: string;
  /** The command that starts the demo with tools for assistants; absent if it has them. */
  readonly startWithTools: string | undefined;
}

/** The page at the root: what this is, who to sign in as, and four things to try. */
export const frontPage = ({ base, startWithTools }: FrontPage): Page => {
  const { web, native } = flowAddresses(base);
  const more = [
    ['Connected applications', '/oauth/grants'],
    ['Personal tokens', '/oauth/tokens'],
    ['Connect a device', '/oauth/device'],
    ['Sign in for a native app', native],
    ['Help of the query API', '/api'],
    ['Server metadata', '/.well-known/oauth-authorization-server'],
    ['API description', '/api/openapi.json'],
    ['All commands', '/guide'],
  ] as const;
  const document = pageLayout(
    { locale: 'en', dir: 'ltr', site: { name: 'oauth-query demo', home: '/', links: [] } },
    {
      title: 'Sign-in, guarded routes and a query API in one middleware',
      isWide: true,
      body: html`<p>This site is an OAuth 2.0 authorization server, an API that it protects, and pages for its users. It only accepts connections from this machine, because its passwords and secrets are public.</p>
<p class="notice">Sign in as <strong>alice</strong> with the password <code>wonderland</code>, or as <strong>bob</strong> with <code>builder</code>.</p>
<section><h2>1. Get a token</h2>
<p>See the sign-in and the consent page as a user does. The last page has the command that redeems the code.</p>
<p class="links"><a href="${web}">Sign in for a web application</a> <a href="/oauth/tokens">Or make a personal token</a></p></section>
<section><h2>2. Call a guarded route</h2>
<p>Without a token, the route answers 401 and says what it needs. With the token from step 1:</p>
<p><code>curl -H 'Authorization: Bearer ACCESS_TOKEN' ${base}/me</code></p></section>
<section><h2>3. Ask a question</h2>
<p>The query API answers like MediaWiki's, with a form for each of its modules.</p>
<p class="links"><a href="/api/sandbox">Open the sandbox</a> <a href="/api?action=query&amp;list=allpages&amp;format=jsonfm">See a first answer</a></p></section>
<section><h2>4. Connect an assistant</h2>
${startWithTools === undefined ? html`<p>Give an assistant the address of the tools. It registers itself, and sends you here to sign in:</p>\n<p><code>${base}/mcp</code></p>` : html`<p>Start the demo with tools for assistants:</p>\n<p><code>${startWithTools}</code></p>`}</section>
<section><h2>More to try</h2>
<p class="links">${more.map(([name, address]) => html`<a href="${address}">${name}</a>\n`)}</p></section>`,
    },
  );
  return { type: 'text/html', body: document.source };
};
