import type { Wording } from './wording.js';

/** The pair from RFC 7636 appendix B. A real client makes a new one for every request. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** What can be tried, line by line ready to be copied. */
export const guide = (base: string, { hasExamples }: Wording): string => {
  const callback = encodeURIComponent(`${base}/callback`);
  return `Owners: alice / wonderland, bob / builder. Put what earlier answers held in place of the words in capitals.

A program on its own behalf (client credentials), and what its token opens:
  curl -u service:service-secret -d grant_type=client_credentials ${base}/oauth/token
  curl -H 'Authorization: Bearer ACCESS_TOKEN' ${base}/content

A web application (authorization code). Open this address; the page after it shows what to send next:
  ${base}/oauth/authorize?response_type=code&client_id=web&state=web&redirect_uri=${callback}
An app without a secret (authorization code with PKCE):
  ${base}/oauth/authorize?response_type=code&client_id=native&state=native&redirect_uri=${callback}&code_challenge_method=S256&code_challenge=${CHALLENGE}
  curl -H 'Authorization: Bearer ACCESS_TOKEN' ${base}/me

A new access token (refresh token):
  curl -u web:web-secret -d grant_type=refresh_token -d refresh_token=REFRESH_TOKEN ${base}/oauth/token
  curl -d client_id=native -d grant_type=refresh_token -d refresh_token=REFRESH_TOKEN ${base}/oauth/token

A television (device code). Show the user code at ${base}/oauth/device, then poll:
  curl -d client_id=tv ${base}/oauth/device
  curl -d client_id=tv -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d device_code=DEVICE_CODE ${base}/oauth/token
${
  hasExamples
    ? `The same as a program:
  npx tsx --tsconfig tsconfig.json examples/device-client/main.ts ${base}
`
    : ''
}
An old application (password and implicit; do not begin with these):
  curl -u legacy:legacy-secret -d grant_type=password -d username=alice -d password=wonderland ${base}/oauth/token
  ${base}/oauth/authorize?response_type=token&client_id=legacy

Look at a token, and revoke it:
  curl -u api:api-secret -d token=TOKEN ${base}/oauth/introspect
  curl -u web:web-secret -d token=TOKEN ${base}/oauth/revoke

The query API (also with a token, as above), its own help, and a page to try it with, to open in a browser:
  curl '${base}/api?action=query&list=allpages&format=json'
  curl '${base}/api?action=query&generator=search&gsrsearch=rope&prop=extracts&exintro&explaintext&format=json'
  curl '${base}/api/query+siteinfo?format=json'
  ${base}/api
  ${base}/api/sandbox

What a client finds out by itself, and a route that needs no token:
  curl ${base}/.well-known/oauth-authorization-server
  curl ${base}/open
`;
};

/** The page that the demo's own redirect URI leads to: what a client would do next. */
export const callbackPage = (base: string, query: URLSearchParams): string => {
  const code = query.get('code');
  if (code === null) return `There is no code, but this: ${query.toString()}\n`;
  const client =
    query.get('state') === 'native' ? `-d client_id=native -d code_verifier=${VERIFIER}` : '-u web:web-secret';
  return `Exchange the code for tokens within a minute:

curl ${client} -d grant_type=authorization_code -d redirect_uri=${base}/callback -d code=${encodeURIComponent(code)} ${base}/oauth/token
`;
};
