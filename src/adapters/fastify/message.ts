import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpResponse } from '../../core/http.js';
import { NodeRequest, hasLength, joinHeader } from '../node.js';

export class FastifyMessage extends NodeRequest<FastifyRequest> {
  constructor(request: FastifyRequest) {
    super(request, request.raw);
  }

  get ip(): string {
    return this.native.ip;
  }

  get parsedBody(): unknown {
    const { body } = this.native;
    return body instanceof Readable ? undefined : body;
  }

  /** Our own parser hands the body on unread: it is not node's request if a hook of the host has replaced it. */
  override get stream(): Readable {
    const { body } = this.native;
    return body instanceof Readable ? body : super.stream;
  }
}

const write = (reply: FastifyReply, { status, headers, body }: HttpResponse): void => {
  reply.code(status);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    // Fastify adds a cookie to those before it; everything else it replaces.
    reply.header(name, name === 'vary' ? joinHeader(name, reply.getHeader(name), value) : value);
  }
  if (body !== '') {
    reply.send(body);
    return;
  }
  // As text it would get a type, as nothing it would get no length on HEAD.
  if (hasLength(status)) reply.header('content-length', '0');
  reply.send();
};

export const send = (reply: FastifyReply, response: HttpResponse): void => {
  try {
    write(reply, response);
  } catch (error) {
    // Fastify keeps a header that it could not send, and would fail again on any other answer.
    for (const name in response.headers) reply.removeHeader(name);
    throw error;
  }
};
