/** The MCP server: two tools with their scopes. Of OAuth, it only receives the user. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';

export const SCOPES = { 'notes.read': 'Read your notes', 'notes.write': 'Write notes for you' } as const;

/** Whether a message requires the write scope. All tools share one URL, so it depends on the message. */
export const isWriting = (message: unknown): boolean => {
  const { method, params } = Object(message) as { readonly method?: unknown; readonly params?: unknown };
  return method === 'tools/call' && (Object(params) as { readonly name?: unknown }).name === 'add_note';
};

const NOTES = new Map<string, string[]>([['alice', ['Feed the rabbit']]]);

const text = (of: string) => ({ content: [{ type: 'text' as const, text: of }] });

const toolsFor = (sub: string): McpServer => {
  const notes = NOTES.get(sub) ?? [];
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('list_notes', { description: 'Lists the notes.' }, () => text(notes.join('\n')));
  server.registerTool(
    'add_note',
    { description: 'Adds a note.', inputSchema: { note: z.string().max(1000) } },
    ({ note }) => {
      NOTES.set(sub, [...notes, note]);
      return text('Added.');
    },
  );
  return server;
};

/**
 * Handles one message of a client. It is stateless, so any process can handle any message.
 *
 * @param sub - The owner of the notes.
 */
export const answer = async (
  req: IncomingMessage,
  res: ServerResponse,
  message: unknown,
  sub: string,
): Promise<void> => {
  if (req.method !== 'POST') {
    res.writeHead(405, { allow: 'POST' }).end(); // There is no event stream and no session.
    return;
  }
  const server = toolsFor(sub);
  const transport = new StreamableHTTPServerTransport();
  res.once('close', () => void server.close());
  await server.connect(transport as Transport);
  await transport.handleRequest(req, res, message);
};
