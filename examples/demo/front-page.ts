import { html } from 'oauth-query';
import type { Page } from './app.js';
import { flowAddresses } from './guide.js';

/** The page at the root: what there is to see, as links. */
export const frontPage = (base: string): Page => {
  const { web, native } = flowAddresses(base);
  const links = [
    [
      'Sign in for a web application',
      web,
      'authorization code, with a secret; sign in as alice / wonderland or bob / builder',
    ],
    ['Sign in for an app', native, 'authorization code with PKCE, without a secret'],
    ['Connected applications', '/oauth/grants', 'what alice has let in, and how to end it'],
    ['Connect a device', '/oauth/device', 'device code; the commands ask for one'],
    ['Try the query API', '/api/sandbox', 'a form for every module; it can sign in, too'],
    ['Read about the query API', '/api', 'its own help'],
    ['A first query', '/api?action=query&list=allpages&format=jsonfm', 'the first pages of this site'],
    ['What clients find out by themselves', '/.well-known/oauth-authorization-server', 'metadata (RFC 8414)'],
    ['What programs that describe APIs read', '/api/openapi.json', 'OpenAPI 3.1'],
    ['What else can be tried', '/guide', 'commands to copy, for each grant'],
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
<p>An authorization server, guarded routes and a query API. It listens on this machine only, and has to: everybody knows its secrets.</p>
<ul>
${links.map(([name, address, about]) => html`<li><a href="${address}">${name}</a>: ${about}</li>\n`)}</ul>
</main>
</body>
</html>
`;
  return { type: 'text/html', body: document.source };
};
