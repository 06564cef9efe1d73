import express from 'express';
import { selfRegistration } from 'oauth-query/self-registration';
import { answer, isWriting, SCOPES } from '../../../examples/mcp/notes.js';
import { type OAuthQueryOptions, oauthQuery } from '../../../src/adapters/express/index.js';
import type { OAuthEvent } from '../../../src/core/oauth/events/events.js';
import { listen } from '../../hosts/listen.js';

export interface NotesServer {
  /** Where it listens. */
  readonly origin: string;
  /** Its issuer: the same, unless a test says otherwise. */
  readonly base: string;
  /** The URL that clients connect to. */
  readonly mcp: string;
  readonly events: readonly OAuthEvent[];
  readonly oauth: ReturnType<typeof oauthQuery>;
  /** Every request as `POST /oauth/token`, in order. */
  readonly requests: readonly string[];
  close(): void;
}

/** The server of the example, with the built-in sign-in and with options of a test. */
export const startNotes = async (
  { features = [], ...options }: Partial<OAuthQueryOptions> = {},
  path: '/mcp' | '/' = '/mcp',
): Promise<NotesServer> => {
  const app = express();
  const { origin, close } = await listen(app);
  const base = options.issuer ?? origin;
  const events: OAuthEvent[] = [];
  const requests: string[] = [];
  app.use((req, _res, next) => {
    requests.push(`${req.method} ${req.path}`);
    next();
  });
  const oauth = oauthQuery({
    issuer: base,
    secret: 'a secret of the test that has 32 characters',
    scopes: SCOPES,
    resources: { [path]: { scopes: ['notes.read'], name: 'Notes' } },
    features: [selfRegistration(), ...features],
    users: [{ username: 'alice', password: 'wonderland' }],
    onEvent: (event) => events.push(event),
    ...options,
  });
  app.use(oauth);
  const read = oauth.guard('notes.read', { resource: path });
  const write = oauth.guard('notes.read notes.write', { resource: path });
  app.all(
    path,
    express.json(),
    (req, res, next) => (isWriting(req.body) ? write : read)(req, res, next),
    (req, res) => answer(req, res, req.body, req.auth?.sub ?? ''),
  );
  return {
    origin,
    base,
    mcp: base + (path === '/' ? '' : path),
    events,
    oauth,
    requests,
    close,
  };
};
