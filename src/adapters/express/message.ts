import type { Request, Response } from 'express';
import type { HttpResponse } from '../../core/http.js';
import { NodeRequest, hasLength, setHeaders } from '../node.js';

export class ExpressRequest extends NodeRequest<Request<unknown>> {
  constructor(req: Request<unknown>) {
    super(req, req);
  }

  get ip(): string {
    return this.native.ip ?? '';
  }

  get parsedBody(): unknown {
    return this.native.body;
  }
}

/** Writes through node's response: `res.send` would hash every body for an ETag that nobody may use. */
export const send = (res: Response, { status, headers, body }: HttpResponse): void => {
  if (res.headersSent) return;
  res.statusCode = status;
  setHeaders(res, headers);
  if (hasLength(status)) res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
};
