import { dpop } from 'oauth-query/dpop';
import { selfRegistration } from 'oauth-query/self-registration';
import { expect, test } from 'vitest';
import { DOCUMENT, DocumentServers, Publisher } from '../../clients/support/publisher.js';
import { Client } from '../../hosts.js';
import { Browser, PKCE, responseOf } from '../../oauth/support/browser.js';
import { Nodes } from '../../oauth/support/nodes.js';
import { refusal } from '../../oauth/support/tokens.js';
import { SECRET } from './site.js';

const NEEDS_PROOF = [400, 'invalid_dpop_proof'];

test('DP20 a client whose document says so gets no tokens without a proof', async () => {
  const bound = new DocumentServers(
    new Publisher({ ...DOCUMENT, dpop_bound_access_tokens: true }),
    {},
    { secret: SECRET, features: [dpop()] },
  );
  const visitor = await bound.open();
  expect(refusal(await visitor.redeem(await visitor.code()))).toEqual(NEEDS_PROOF);
  await bound.close();
});

test('DP20 a client that registered itself so gets no tokens without a proof', async () => {
  const nodes = new Nodes({ secret: SECRET, features: [dpop(), selfRegistration()] });
  const { host } = await nodes.start();
  const http = new Client(host.base);
  const redirect_uri = 'https://app.example.org/cb';
  const codeOf = async (more: object): Promise<Readonly<Record<string, string>>> => {
    const { json, status } = await http.request('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none', ...more }),
    });
    expect(status).toBe(201);
    const client_id = String(json['client_id']);
    const answer = await new Browser(host).authorizeFor({
      response_type: 'code',
      client_id,
      redirect_uri,
      scope: 'profile',
      ...PKCE.request,
    });
    const { code = '' } = responseOf(answer);
    return { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: PKCE.verifier };
  };
  expect((await http.post('/oauth/token', await codeOf({}))).status).toBe(200);
  const bound = await codeOf({ dpop_bound_access_tokens: true });
  expect(refusal(await http.post('/oauth/token', bound))).toEqual(NEEDS_PROOF);
});
