/**
 * Posts a form to an address of the REST API and reads JSON, as m3api-oauth2 expects it: `rest.php` beside `api.php`,
 * no bearer token, an error for every status from 300 on and for everything that is not announced as JSON.
 */
export const postForJson = async ({ apiUrl }, path, body) => {
  const response = await fetch(apiUrl.replace(/api\.php$/, 'rest.php') + path, { method: 'POST', body });
  const type = response.headers.get('content-type') ?? '';
  if (response.status >= 300) throw new Error(`REST API status ${response.status}: ${await response.text()}`);
  if (!/^application\/json(?:;|$)/.test(type)) throw new Error(`REST API content type ${type}`);
  return response.json();
};
