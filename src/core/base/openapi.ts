import { OAuthError } from './errors.js';
import { unlessKnown } from './etag.js';
import type { HttpResponse, Route } from './http.js';
import { errorResponse } from './responses.js';
import { sha256 } from './secrets.js';

/** A JSON Schema 2020-12 schema, as used by OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** The operations of a path, by lower-case method. */
export type PathItem = Readonly<Partial<Record<'get' | 'post', Readonly<Record<string, unknown>>>>>;

/** The contribution of one half of the server to the document. */
export interface OpenApiPart {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  /** By section (`schemas`, `parameters`, …) and name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The parts of the document that concern the whole server. */
export interface OpenApiFrame {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** The URL in front of every path; `/` if it depends on the request. */
  readonly server: string;
  /** How callers authenticate, unless an operation specifies otherwise. */
  readonly security: readonly object[];
}

/** A reference to a component. */
export const ref = (section: string, name: string): Schema => ({ $ref: `#/components/${section}/${name}` });

/** Merges the parts. Their names do not collide, because each half uses its own tags, names and numbers. */
export const joinParts = ({ info, server, security }: OpenApiFrame, parts: readonly OpenApiPart[]): object => {
  const components: Record<string, Record<string, unknown>> = {};
  for (const part of parts) {
    for (const [section, entries] of Object.entries(part.components)) {
      components[section] = { ...components[section], ...entries };
    }
  }
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: server }],
    security,
    tags: parts.flatMap(({ tags }) => tags),
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
    components,
  };
};

/** In seconds: long enough to save requests, short enough for configuration changes to show. */
const MAX_AGE = 300;
const METHODS = 'GET, HEAD, OPTIONS';

const render = (document: object): HttpResponse => {
  const body = JSON.stringify(document);
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag',
    'cache-control': `public, max-age=${MAX_AGE}`,
    etag: `"${sha256(body).slice(0, 22)}"`,
    'content-type': 'application/json; charset=utf-8',
  };
  return { status: 200, headers, body };
};

const PREFLIGHT: HttpResponse = {
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': 'if-none-match',
    'access-control-max-age': '600',
  },
  body: '',
};

/**
 * The endpoint that serves the OpenAPI document. The document is the same for all callers: it is generated on the first
 * request and cached as text, and any site may read it.
 */
export const openApiRoute = (path: string, build: () => Promise<object>, onError: (error: unknown) => void): Route => {
  let rendered: Promise<HttpResponse> | undefined;
  return {
    path,
    handle: async (request) => {
      try {
        if (request.method === 'OPTIONS') return PREFLIGHT;
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          throw new OAuthError('invalid_request', `This endpoint only supports ${METHODS}.`, {
            status: 405,
            headers: { allow: METHODS },
          });
        }
        rendered ??= build().then(render);
        return unlessKnown(request, await rendered);
      } catch (error) {
        if (!(error instanceof OAuthError)) rendered = undefined;
        return errorResponse(error, onError);
      }
    },
  };
};
