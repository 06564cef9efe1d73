import { html } from 'oauth-query/pages';
import type { Page } from './app.js';
import { demoDocument, step } from './document.js';
import { flowAddresses } from './guide.js';

/** What the page depends on. */
interface FrontPage {
  readonly base: string;
  /** The command that starts the demo with tools for assistants; absent if it has them. */
  readonly startWithTools: string | undefined;
}

/** Sends the requests of the steps, and shows their responses. The secret of the client is public, as all secrets of the demo. */
const SCRIPT = `
const tokenFor = async (more) => {
  const response = await fetch('/oauth/token', {
    method: 'POST',
    headers: { authorization: 'Basic ' + btoa('service:service-secret') },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...more }),
  });
  return [response, await response.json()];
};
let token;
const STEPS = {
  token: async () => {
    const [response, body] = await tokenFor({});
    token = body.access_token;
    return shown(response, body);
  },
  guard: async () => {
    if (token === undefined) await STEPS.token();
    const [without, having] = await Promise.all([fetch('/content'), fetch('/content', { headers: { authorization: 'Bearer ' + token } })]);
    return 'Without a token: ' + shown(without, await without.json()) + '\\n\\nWith the token: ' + shown(having, await having.json());
  },
  query: async () => {
    const response = await fetch('/api?action=query&generator=search&gsrsearch=rope&gsrlimit=2&prop=extracts&exintro&explaintext&format=json&formatversion=2');
    return shown(response, await response.json());
  },
  tools: async () => {
    const [, { access_token }] = await tokenFor({ resource: location.origin + '/mcp' });
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + access_token, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query: 'rope', limit: 2 } } }),
    });
    const { result, error } = await response.json();
    return shown(response, result ? JSON.parse(result.content[0].text) : error);
  },
};
`;

/** The page at the root: what this is, who to sign in as, and four things to try with their responses. */
export const frontPage = ({ base, startWithTools }: FrontPage): Page => {
  const { web, native } = flowAddresses(base);
  const more = [
    ['Connected applications', '/oauth/grants'],
    ['Personal tokens', '/oauth/tokens'],
    ['Where you are signed in', '/oauth/sessions'],
    ['Connect a device', '/oauth/device'],
    ['Sign in for a native app', native],
    ['Help of the query API', '/api'],
    ['Server metadata', '/.well-known/oauth-authorization-server'],
    ['API description', '/api/openapi.json'],
    ['All commands', '/guide'],
  ] as const;
  const tools =
    startWithTools === undefined
      ? step(
          4,
          'Connect an assistant',
          'tools',
          'Search as an assistant',
          html`<p>An assistant needs only the address <code>${base}/mcp</code>. It registers itself, sends its user here to sign in, and then calls tools.</p>`,
        )
      : html`<section><h2><span class="mark" aria-hidden="true">4</span>Connect an assistant</h2>
<p>This needs the package <code>@modelcontextprotocol/server</code>. Start the demo with tools for assistants:</p>
<pre>${startWithTools}</pre></section>`;
  const signIn = html`<a class="button" href="${web}">Sign in as a person</a>`;
  return demoDocument(
    'Let other programs in, and stay in control',
    html`<p class="lead">One middleware gives your Express, Koa or Fastify server sign-in for applications (OAuth 2.0), guarded routes, and a query API. This site runs on nothing else.</p>
<pre>app.use(oauthQuery(options));
app.get('/content', oauth.guard('content.read'), handler);</pre>
<div class="people"><p><span class="mark" aria-hidden="true">A</span><span>Sign in as <strong>alice</strong><br>with the password <code>wonderland</code></span></p>
<p><span class="mark other" aria-hidden="true">B</span><span>or as <strong>bob</strong><br>with the password <code>builder</code></span></p></div>
<div class="steps">
${step(1, 'Get a token', 'token', 'Request a token', html`<p>A program exchanges its secret for a token. A person signs in and consents, or creates a <a href="/oauth/tokens">personal token</a>.</p>`, signIn)}
${step(2, 'Call a guarded route', 'guard', 'Call it twice', html`<p>Without a token, <code>/content</code> answers 401. With one whose scope is enough, it answers.</p>`)}
${step(3, 'Ask a question', 'query', 'Search for “rope”', html`<p>The API answers like MediaWiki's, so existing clients work. <a href="/api/sandbox">The sandbox</a> has a form for each of its modules; <a href="/api?action=query&amp;list=allpages&amp;format=jsonfm">see a first answer</a>.</p>`)}
${tools}</div>
<section><h2>More to try</h2>
<p class="links">${more.map(([name, address]) => html`<a href="${address}">${name}</a>\n`)}</p>
<p class="soft">The passwords and secrets of this site are public, so it only accepts connections from this machine.</p></section>`,
    SCRIPT,
  );
};
