import { html } from 'oauth-query/pages';
import type { Page } from './app.js';
import { demoDocument, type Markup, step } from './document.js';
import { flowAddresses, VERIFIER } from './guide.js';

/** The client that a response is for, which the demo's requests name in `state`. */
interface Receiver {
  readonly name: string;
  /** Starts its sign-in. */
  readonly start: string;
  /** The secret or the fields with which it authenticates. */
  readonly credentials: { readonly basic?: string; readonly fields: Readonly<Record<string, string>> };
  /** What only its exchange of a code has. */
  readonly proof: Readonly<Record<string, string>>;
}

const receiverOf = (base: string, query: URLSearchParams): Receiver => {
  const { web, native } = flowAddresses(base);
  return query.get('state') === 'native'
    ? {
        name: 'A native app',
        start: native,
        credentials: { fields: { client_id: 'native' } },
        proof: { code_verifier: VERIFIER },
      }
    : { name: 'A web application', start: web, credentials: { basic: 'web:web-secret', fields: {} }, proof: {} };
};

/**
 * A server or an app does this out of sight of its user. Here the page does, so that you can watch it: the code, the tokens and the secrets are
 * those of a demo.
 */
const SCRIPT = `
const given = JSON.parse(document.getElementById('given').dataset.given);
let tokens = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const tokenRequest = async (fields) => {
  const { basic, fields: own } = given.credentials;
  const headers = basic ? { authorization: 'Basic ' + btoa(basic) } : {};
  const response = await fetch('/oauth/token', { method: 'POST', headers, body: new URLSearchParams({ ...own, ...fields }) });
  const body = await response.json();
  if (response.ok) tokens = body;
  return shown(response, body);
};
const exchange = () => tokenRequest({ grant_type: 'authorization_code', ...given.exchange });
const STEPS = {
  exchange,
  fragment: async () => (tokens.access_token ? JSON.stringify(tokens, null, 2) : 'There is no token after the # in the address.'),
  call: async () => {
    if (!tokens.access_token && given.exchange) await exchange();
    const response = await fetch('/me', { headers: { authorization: 'Bearer ' + tokens.access_token } });
    return shown(response, await response.json());
  },
  refresh: async () => {
    if (!tokens.refresh_token) await exchange();
    return tokenRequest({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  },
};
`;

/** Data for the script. */
const given = (data: object): Markup => html`<div id="given" data-given="${JSON.stringify(data)}" hidden></div>\n`;

const further = (start: string): Markup => html`<p class="links"><a href="/">Back to the demo</a>
<a href="${start}">Sign in again</a>
<a href="/oauth/grants">Connected applications</a></p>`;

const CALL = step(
  2,
  'Call a guarded route',
  'call',
  'Call /me',
  html`<p><code>/me</code> requires the scope <code>profile</code>, and answers who the token is for.</p>`,
);

const received = (base: string, code: string, { name, start, credentials, proof }: Receiver): Page => {
  const exchange = { redirect_uri: `${base}/callback`, ...proof, code };
  const client = credentials.basic === undefined ? '-d client_id=native' : `-u ${credentials.basic}`;
  const fields = Object.entries(exchange).map(
    ([field, value]) => `-d ${field}=${field === 'code' ? encodeURIComponent(value) : value}`,
  );
  return demoDocument(
    `${name} has received a code`,
    html`<p class="lead">You allowed access, so your browser returned to the application with a code. The code works once, within a minute.</p>
<div class="steps">
${step(1, 'Exchange the code', 'exchange', 'Exchange it for tokens', html`<p>The application sends the code with ${credentials.basic === undefined ? 'the verifier of its request (PKCE)' : 'its secret'}, and gets an access token and a refresh token.</p>`)}
${CALL}
${step(3, 'Get a new token', 'refresh', 'Use the refresh token', html`<p>An access token expires. The refresh token, which works once, gets the next pair without asking you again.</p>`)}
<section><h2>In a terminal</h2>
<p>The exchange is one request, here with curl:</p>
<pre>curl ${client} -d grant_type=authorization_code ${fields.join(' ')} ${base}/oauth/token</pre></section></div>
${further(start)}${given({ credentials, exchange })}`,
    SCRIPT,
  );
};

/** The page of the demo's redirect URI, on which each application goes on with its response. */
export const callbackPage = (base: string, query: URLSearchParams): Page => {
  const code = query.get('code');
  const receiver = receiverOf(base, query);
  if (code !== null) return received(base, code, receiver);
  if (query.size === 0)
    return demoDocument(
      'A legacy application reads its response',
      html`<p class="lead">The implicit grant puts the token after the # in the address, which browsers do not send to a server. New applications must not use it.</p>
<div class="steps">
${step(1, 'Read the response', 'fragment', 'Show the token', html`<p>Only a script on this page can read it, and so can everything else that sees the address.</p>`)}
${CALL}</div>
${further(flowAddresses(base).legacy)}${given({})}`,
      SCRIPT,
    );
  const isDenied = query.get('error') === 'access_denied';
  return demoDocument(
    isDenied ? `${receiver.name} got no access` : 'The response contains no code',
    html`<p class="lead">${isDenied ? 'You denied the request. The application receives this response:' : 'The application receives this response:'}</p>
<pre>${[...query].map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
${further(receiver.start)}`,
    'const STEPS = {};',
  );
};
