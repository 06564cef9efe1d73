/** Signs the user of a single-page app in, without a library. docs/clients.md has its registration. */
const authorize = 'https://example.org/oauth/authorize';
const token = 'https://example.org/oauth/token';
const redirect_uri = 'https://spa.example/callback';
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export async function signIn() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const state = base64url(crypto.getRandomValues(new Uint8Array(16)));
  sessionStorage.setItem('oauth', JSON.stringify({ verifier, state }));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const parameters = {
    response_type: 'code',
    client_id: 'spa',
    redirect_uri,
    scope: 'photos.read',
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  };
  location.assign(`${authorize}?${new URLSearchParams(parameters)}`);
}

export async function finishSignIn() {
  const { verifier, state } = JSON.parse(sessionStorage.getItem('oauth') ?? '{}');
  sessionStorage.removeItem('oauth');
  const answer = new URLSearchParams(location.search);
  if (answer.get('state') !== state) throw new Error('This response does not belong to the request.');
  const error = answer.get('error');
  if (error !== null) throw new Error(error);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'spa',
    redirect_uri,
    code: answer.get('code') ?? '',
    code_verifier: verifier,
  });
  const response = await fetch(token, { method: 'POST', body });
  if (!response.ok) throw new Error(`The token endpoint answered ${response.status}.`);
  return response.json(); // { access_token, expires_in, … }
}
