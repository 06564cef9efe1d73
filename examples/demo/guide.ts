import type { Wording } from './wording.js';

/** The pair from RFC 7636 appendix B. A real client generates a new one for each request. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** The URLs that start signing in, by client. */
export const flowAddresses = (base: string): Readonly<Record<'web' | 'native' | 'legacy', string>> => {
  const request = (parameters: Readonly<Record<string, string>>): string =>
    `${base}/oauth/authorize?${new URLSearchParams({ ...parameters, redirect_uri: `${base}/callback` }).toString()}`;
  const pkce = { code_challenge_method: 'S256', code_challenge: CHALLENGE };
  return {
    web: request({ response_type: 'code', client_id: 'web', state: 'web' }),
    native: request({ response_type: 'code', client_id: 'native', state: 'native', ...pkce }),
    legacy: request({ response_type: 'token', client_id: 'legacy' }),
  };
};

/** The commands to try. */
export const guide = (base: string, { hasExamples }: Wording): string => {
  const { web, native, legacy } = flowAddresses(base);
  return `Owners: alice / wonderland, bob / builder. Put what earlier answers held in place of the words in capitals.

A program on its own behalf (client credentials), and what its token opens:
  curl -u service:service-secret -d grant_type=client_credentials ${base}/oauth/token
  curl -H 'Authorization: Bearer ACCESS_TOKEN' ${base}/content

A web application (authorization code). Open this address; the page after it shows what to send next:
  ${web}
An app without a secret (authorization code with PKCE):
  ${native}
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
  ${legacy}

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

/** Instructions for connecting an assistant. */
export const mcpGuide = (issuer: string): string => `
Tools for assistants (MCP), which sign their owner in: give a client this address.
  ${issuer}/mcp
  claude mcp add --transport http demo ${issuer}/mcp
`;

/** The page of the demo's redirect URI, which shows the next step of a client. */
export const callbackPage = (base: string, query: URLSearchParams): string => {
  const code = query.get('code');
  if (query.size === 0)
    return 'What an old application is told stands behind the # of the address: it does not reach this server.\n';
  if (code === null) return `There is no code, but this: ${query.toString()}\n`;
  const client =
    query.get('state') === 'native' ? `-d client_id=native -d code_verifier=${VERIFIER}` : '-u web:web-secret';
  return `Exchange the code for tokens within a minute:

curl ${client} -d grant_type=authorization_code -d redirect_uri=${base}/callback -d code=${encodeURIComponent(code)} ${base}/oauth/token
`;
};
