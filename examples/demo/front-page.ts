import { html } from 'oauth-query/pages';
import type { Page } from './app.js';
import { flowAddresses } from './guide.js';

/** The page at the root: links to everything in the demo. */
export const frontPage = (base: string): Page => {
  const { web, native } = flowAddresses(base);
  const links = [
    [
      'Sign in for a web application',
      web,
      'authorization code with a client secret; sign in as alice / wonderland or bob / builder',
    ],
    ['Sign in for a native app', native, 'authorization code with PKCE, without a client secret'],
    ['Connected applications', '/oauth/grants', 'the applications with access to your account, and how to revoke it'],
    ['Connect a device', '/oauth/device', 'enter the code that a device shows you (device code)'],
    ['Try the query API', '/api/sandbox', 'a form for every module, with sign-in'],
    ['Read the help of the query API', '/api', 'all modules and their parameters'],
    ['Run a first query', '/api?action=query&list=allpages&format=jsonfm', 'the first pages of this site'],
    ['Server metadata', '/.well-known/oauth-authorization-server', 'for clients (RFC 8414)'],
    ['API description', '/api/openapi.json', 'for API tools (OpenAPI 3.1)'],
    ['More to try', '/guide', 'commands for each grant, to copy'],
  ] as const;
  const document = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>oauth-query demo</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif; }
li { margin-bottom: 0.5rem; }
</style>
</head>
<body>
<main>
<h1>oauth-query demo</h1>
<p>An authorization server, guarded routes and a query API. It only accepts connections from this machine, because its passwords and secrets are public.</p>
<ul>
${links.map(([name, address, about]) => html`<li><a href="${address}">${name}</a>: ${about}</li>\n`)}</ul>
</main>
</body>
</html>
`;
  return { type: 'text/html', body: document.source };
};
