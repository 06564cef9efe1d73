import { type OAuthQueryOptions, oauthQuery } from '../../../src/adapters/fetch/index.js';

/** Requests to a server of content with tools, without a socket. */
export const contentServer = (options: OAuthQueryOptions & { readonly issuer: string }) => {
  const { handler } = oauthQuery(options);
  const post = async (path: string, type: string, body: string): Promise<string> => {
    const headers = { 'content-type': type, accept: 'application/json, text/event-stream' };
    return (await handler(new Request(options.issuer + path, { method: 'POST', headers, body }))).text();
  };
  const message = (method: string, params: object): Promise<string> =>
    post('/mcp', 'application/json', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return {
    /** The response to a message of MCP, as text. */
    message,
    /** The response to a form, as text. */
    send: (path: string, form: Readonly<Record<string, string>>): Promise<string> =>
      post(path, 'application/x-www-form-urlencoded', new URLSearchParams(form).toString()),
    /** The response to the call of a tool, as text. */
    call: (name: string, args: object): Promise<string> => message('tools/call', { name, arguments: args }),
  };
};
