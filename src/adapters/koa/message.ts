import type { Context } from 'koa';
import type { HttpResponse } from '../../core/http.js';
import { NodeRequest, setHeaders } from '../node.js';

export class KoaRequest extends NodeRequest<Context> {
  constructor(ctx: Context) {
    super(ctx, ctx.req);
  }

  get ip(): string {
    return this.native.ip;
  }

  /** Every body parser for Koa leaves its result here; Koa's own types do not know it. */
  get parsedBody(): unknown {
    const { request } = this.native;
    return 'body' in request ? request.body : undefined;
  }
}

/** Sets what Koa will write, so that middleware in front may still look at it. */
export const send = (ctx: Context, { status, headers, body }: HttpResponse): void => {
  if (ctx.headerSent) return;
  ctx.status = status;
  setHeaders(ctx.res, headers);
  ctx.body = body;
  // Koa calls any text without a type `text/plain`, even one without a character.
  if (headers['content-type'] === undefined) ctx.remove('content-type');
};
