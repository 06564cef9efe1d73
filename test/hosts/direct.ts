import { type OAuthQueryOptions, oauthQuery } from '../../src/adapters/fetch/index.js';
import type { Answer } from './client.js';

type Query = (
  parameters: Readonly<Record<string, string>>,
  token?: string,
) => Promise<Pick<Answer, 'status' | 'text' | 'json'>>;

/**
 * Sends queries to a server without a socket, in formatversion 2: tests that send thousands would spend most of their time on
 * HTTP.
 *
 * @param path - Of the API.
 */
export const directQueries = (options: OAuthQueryOptions & { readonly issuer: string }, path: string): Query => {
  const { handler } = oauthQuery(options);
  return async (parameters, token) => {
    const form = new URLSearchParams({ action: 'query', format: 'json', formatversion: '2', ...parameters });
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await handler(
      new Request(options.issuer + path, { method: 'POST', headers, body: form.toString() }),
    );
    const text = await response.text();
    return {
      status: response.status,
      text,
      get json() {
        return JSON.parse(text) as Record<string, unknown>; // What is in it is for the test to say.
      },
    };
  };
};
