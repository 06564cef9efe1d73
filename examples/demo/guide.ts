import type { Wording } from './wording.js';

/** The pair from RFC 7636 appendix B. A real client generates a new one for each request. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
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
  return `Users: alice / wonderland, bob / builder. Replace the words in capitals with values from earlier responses.

A program with its own access (client credentials):
  curl -u service:service-secret -d grant_type=client_credentials ${base}/oauth/token
  curl -H 'Authorization: Bearer ACCESS_TOKEN' ${base}/content

A web application (authorization code). Open this URL; after you sign in, a page exchanges the code:
  ${web}
A native app, which has no secret (authorization code with PKCE). Open this URL:
  ${native}
  curl -H 'Authorization: Bearer ACCESS_TOKEN' ${base}/me

A new access token (refresh token):
  curl -u web:web-secret -d grant_type=refresh_token -d refresh_token=REFRESH_TOKEN ${base}/oauth/token
  curl -d client_id=native -d grant_type=refresh_token -d refresh_token=REFRESH_TOKEN ${base}/oauth/token

A television (device code). Enter its user code at ${base}/oauth/device; meanwhile, it polls:
  curl -d client_id=tv ${base}/oauth/device
  curl -d client_id=tv -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d device_code=DEVICE_CODE ${base}/oauth/token
${
  hasExamples
    ? `The same flow in an example program:
  npx tsx --tsconfig tsconfig.json examples/device-client/main.ts ${base}
`
    : ''
}
A legacy application (password and implicit grants, which new applications must not use):
  curl -u legacy:legacy-secret -d grant_type=password -d username=alice -d password=wonderland ${base}/oauth/token
  ${legacy}

Inspect a token, and revoke it:
  curl -u api:api-secret -d token=TOKEN ${base}/oauth/introspect
  curl -u web:web-secret -d token=TOKEN ${base}/oauth/revoke

The query API (with or without a token), its help, and its sandbox; open the last two in a browser:
  curl '${base}/api?action=query&list=allpages&format=json'
  curl '${base}/api?action=query&generator=search&gsrsearch=rope&prop=extracts&exintro&explaintext&format=json'
  curl '${base}/api/query+siteinfo?format=json'
  ${base}/api
  ${base}/api/sandbox

Server metadata for clients, and a route that requires no token:
  curl ${base}/.well-known/oauth-authorization-server
  curl ${base}/open
`;
};

/** The address for assistants, and how to add it to one. */
export const mcpGuide = (issuer: string): string => `MCP server for assistants, which let you sign in: ${issuer}/mcp
  claude mcp add --transport http demo ${issuer}/mcp
`;
