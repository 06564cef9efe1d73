/** The servers of the record, with their stores and numbers of processes. */
import { BARE, type Framework, FRONT, MINIMUM, MINIMUM_PLUS, OURS } from '../candidates.js';

export const databaseNames = ['Redis', 'PostgreSQL', 'MariaDB'] as const;
export type DatabaseName = (typeof databaseNames)[number];

export interface Entry {
  readonly candidate: string;
  readonly framework: Framework;
  /** How the tables name it. */
  readonly label: string;
  /** Memory if absent. */
  readonly database?: DatabaseName;
  readonly processes: number;
}

/** FRONT is `oauth-query/node`: the framework behind it gets none of these requests. */
const node = { candidate: FRONT, framework: 'fastify', label: 'oauth-query on node:https' } as const;

export const entries: readonly Entry[] = [
  { ...node, processes: 1 },
  { candidate: OURS, framework: 'fastify', label: 'oauth-query on Fastify', processes: 1 },
  { ...node, database: 'Redis', processes: 1 },
  { ...node, database: 'Redis', processes: 2 },
  { ...node, database: 'PostgreSQL', processes: 1 },
  { ...node, database: 'PostgreSQL', processes: 2 },
  { ...node, database: 'MariaDB', processes: 1 },
  { ...node, database: 'MariaDB', processes: 2 },
  { candidate: 'oidc-provider', framework: 'koa', label: 'oidc-provider', processes: 1 },
  { candidate: '@node-oauth/oauth2-server', framework: 'express', label: '@node-oauth/oauth2-server', processes: 1 },
  { candidate: '@jmondi/oauth2-server', framework: 'fastify', label: '@jmondi/oauth2-server', processes: 1 },
  { candidate: MINIMUM, framework: 'fastify', label: 'hand-written minimum on Fastify', processes: 1 },
  { candidate: MINIMUM_PLUS, framework: 'fastify', label: 'minimum with the same records on Fastify', processes: 1 },
  { candidate: BARE, framework: 'fastify', label: 'bare route on Fastify', processes: 1 },
];

export const recordWorks = ['token', 'flow', 'refresh', 'introspect', 'handshake'] as const;
export type RecordWork = (typeof recordWorks)[number];

export const recordTitles: Readonly<Record<RecordWork, string>> = {
  token: 'Token by client credentials',
  flow: 'Authorization request of a signed-in owner, and redemption of its code with PKCE',
  refresh: 'Refresh token rotated',
  introspect: 'Introspection of a live token',
  handshake: 'Token by client credentials, each over a new connection',
};
