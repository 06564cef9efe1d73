import { listen } from '../hosts/listen.js';

const html = (body: string): string => `<!DOCTYPE html><html lang="en"><title>Client</title>${body}</html>`;

/** An application on two origins of its own: its redirect address sends the browser on to where its pages are. */
export interface ClientSite {
  /** Where the authorization server sends the browser. */
  readonly redirectUri: string;
  /** Where the browser ends, with the parameters of the answer. */
  readonly home: string;
  /** A page of another site (`localhost` and not `127.0.0.1`) whose button posts an authorization request. */
  readonly postedFrom: (authorize: string, fields: Readonly<Record<string, string>>) => string;
  close(): void;
}

export const startClientSite = async (): Promise<ClientSite> => {
  const home = await listen((_request, response) => {
    response.setHeader('content-type', 'text/html').end(html('<h1>Home of the client</h1>'));
  });
  const callback = await listen((request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/cb') {
      response.writeHead(303, { location: `http://127.0.0.1:${home.port}/${search}` }).end();
      return;
    }
    const inputs = [...searchParams].filter(([name]) => name !== 'to');
    response.setHeader('content-type', 'text/html').end(
      html(`<form method="post" action="${searchParams.get('to')}">
${inputs.map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`).join('')}
<button>Sign in there</button></form>`),
    );
  });
  return {
    redirectUri: `http://127.0.0.1:${callback.port}/cb`,
    home: `http://127.0.0.1:${home.port}/`,
    postedFrom: (authorize, fields) =>
      `http://localhost:${callback.port}/post?${new URLSearchParams({ to: authorize, ...fields }).toString()}`,
    close: () => {
      home.close();
      callback.close();
    },
  };
};
