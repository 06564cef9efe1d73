/**
 * One of many processes that have the same tokens: when it is told to, it lets the SDK that it is given refresh them, and says what came of it.
 * node refresh-once.mjs MODULE MCP_URL STATE
 */
import { stdin } from 'node:process';

const [module, serverUrl, state] = process.argv.slice(2);
const { auth } = await import(module);
const { client, tokens } = JSON.parse(state);

let saved;
const provider = {
  redirectUrl: client.redirect_uris[0],
  clientMetadata: { redirect_uris: client.redirect_uris },
  clientInformation: () => client,
  saveClientInformation: () => undefined,
  tokens: () => tokens,
  saveTokens: (fresh) => (saved = fresh),
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
};

console.log('ready');
stdin.once('data', async () => {
  const result = await auth(provider, { serverUrl });
  console.log(JSON.stringify({ result, ...saved }));
  process.exit();
});
