/** A small site: an authorization server, its clients and users, and guarded routes. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { mcp } from 'oauth-query/mcp';
import { drainable } from 'oauth-query/node';
import { openApi } from 'oauth-query/openapi';
import { personalTokens } from 'oauth-query/personal-tokens';
import { query } from 'oauth-query/query';
import { sandbox } from 'oauth-query/sandbox';
import { selfRegistration } from 'oauth-query/self-registration';
import { sessions } from 'oauth-query/sessions';
import type { BuildApp } from './app.js';
import { callbackPage } from './callback-page.js';
import { Complaint } from './complaint.js';
import { type DemoContent, openContent } from './content.js';
import { frontPage } from './front-page.js';
import { guide, mcpGuide } from './guide.js';
import type { Settings } from './settings.js';
import { MEDIAWIKI_PATHS, reachedAt, SITE, sandboxClient } from './site.js';
import { type OpenStore, openStore } from './store.js';
import type { Wording } from './wording.js';

/** The configuration of the demo. */
export interface Demo {
  readonly settings: Settings;
  /** The export or folder to serve. Default: the sample. */
  readonly file: string | undefined;
  /** The name of the framework, for the banner. */
  readonly framework: string;
  /** Loads the framework on demand. */
  readonly loadApp: () => Promise<BuildApp>;
  readonly wording: Wording;
}

const listen = async (server: Server, { settings: { host, port }, wording }: Demo): Promise<string> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      const other = wording.command('PORT', String(port === 65_535 ? 3000 : port + 1));
      throw new Complaint(`Port ${port} is in use. Choose another one, for example: ${other}`);
    }
    if (code === 'EACCES')
      throw new Complaint(
        `Port ${port} requires administrator rights. Choose one from 1024 up: ${wording.command('PORT', '3000')}`,
      );
    throw error;
  }
  const address = server.address() as AddressInfo; // It listens on a port, not a pipe.
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
};

const createApp = async (
  { settings, loadApp, wording }: Demo,
  base: string,
  store: OpenStore,
  { query: options }: DemoContent,
  onWarning: (sentence: string) => void,
): Promise<RequestListener> => {
  const buildApp = await loadApp();
  const issuer = settings.issuer ?? base;
  const client = sandboxClient([...new Set([issuer, base])]);
  try {
    return await buildApp({
      options: {
        ...SITE,
        store,
        issuer,
        onWarning,
        clients: [...SITE.clients.map((one) => reachedAt(one, base)), client],
        lifetimes: settings.lifetimes,
        ...(settings.mediawikiPaths && { paths: MEDIAWIKI_PATHS }),
        features: [
          query({
            ...options,
            ...(settings.mediawikiPaths && { path: ['/api', '/w/api.php'] }),
            site: { ...options.site, server: issuer, ...(settings.language && { language: settings.language }) },
          }),
          sandbox({ client_id: client.client_id }),
          openApi(),
          personalTokens(),
          sessions(),
          // Requires a token, so that clients sign their user in.
          ...(settings.mcp
            ? [mcp({ scopes: ['content.read'], anonymous: false }), selfRegistration({ scopes: ['content.read'] })]
            : []),
        ],
      },
      pages: {
        '/': () => frontPage({ base, startWithTools: settings.mcp ? undefined : wording.command('MCP', '1') }),
        '/guide': () => ({ type: 'text/plain', body: guide(base, wording) }),
        '/callback': (query) => callbackPage(base, query),
      },
    });
  } catch (error) {
    // The library's message about an invalid issuer or lifetime.
    if (error instanceof TypeError) throw new Complaint(error.message);
    throw error;
  }
};

/** Whether the package that the tools for assistants need is installed. */
export const isMcpInstalled = (): boolean => {
  try {
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server');
    return true;
  } catch {
    return false;
  }
};

/**
 * Starts the demo, prints what to try, and stops cleanly on SIGINT and SIGTERM.
 *
 * @throws Complaint if it cannot start.
 */
export const runDemo = async (demo: Demo): Promise<void> => {
  const { settings, wording } = demo;
  if (settings.mcp && !isMcpInstalled())
    throw new Complaint(
      `Tools for assistants require the package @modelcontextprotocol/server. Install it: ${wording.install(['@modelcontextprotocol/server'])}`,
    );
  const content = await openContent(demo.file, wording);
  const store = await openStore(settings.store, wording);
  const server = createServer();
  const drain = drainable(server);
  const base = await listen(server, demo);
  // The banner is printed before warnings.
  let warn: (sentence: string) => void = (sentence) => void early.push(sentence);
  const early: string[] = [];
  const issuer = settings.issuer ?? base;
  const app = createApp(demo, base, store, content, (sentence) => warn(sentence));
  // Early requests wait for the app.
  server.on('request', (req, res) => {
    if (content.files && req.url?.startsWith('/files/')) content.files(req, res);
    else void app.then((listener) => listener(req, res));
  });
  await app;

  // The store is needed until the last response is sent.
  const end = async (): Promise<void> => {
    await drain();
    await Promise.allSettled([store.close(), content.close()]);
  };
  const stop = (): void => void end();
  process.once('SIGINT', stop).once('SIGTERM', stop);

  console.log(`oauth-query demo on ${demo.framework}, store ${withoutPassword(settings.store)}: ${base}
${settings.mcp ? mcpGuide(issuer) : ''}
It only accepts connections from this machine, because its passwords and secrets are public.

Open it in a browser, or try these commands.

${guide(base, wording)}`);
  warn = (sentence) => console.warn(`Warning: ${sentence}`);
  early.forEach(warn);
};

const withoutPassword = (store: string): string => store.replace(/\/\/[^@/]*@/, '//');
