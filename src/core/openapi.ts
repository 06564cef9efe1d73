import { OAuthError } from './errors.js';
import type { HttpRequest, HttpResponse, Route } from './http.js';
import { errorResponse } from './responses.js';
import { sha256 } from './secrets.js';

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Operations by their method in lower case, as one path has them. */
export type PathItem = Readonly<Partial<Record<'get' | 'post', Readonly<Record<string, unknown>>>>>;

/** What one half of the server adds to the description of the whole. */
export interface OpenApiPart {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  /** By section (`schemas`, `parameters` …) and name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What the description says about the server as a whole. */
export interface OpenApiFrame {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** What stands in front of every path; `/` where each request tells the address of the server. */
  readonly server: string;
  /** How callers may say who they are, where an operation does not say otherwise. */
  readonly security: readonly object[];
}

/** A reference to a component. */
export const ref = (section: string, name: string): Schema => ({ $ref: `#/components/${section}/${name}` });

/** Puts the parts together. Their names do not meet: each half tags, names and numbers its own. */
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

/** Seconds: long enough to spare requests, short enough for a changed configuration to arrive. */
const MAX_AGE = 300;
const METHODS = 'GET, HEAD, OPTIONS';

interface Rendered {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const render = (document: object): Rendered => {
  const body = JSON.stringify(document);
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag',
    'cache-control': `public, max-age=${MAX_AGE}`,
    etag: `"${sha256(body).slice(0, 22)}"`,
  };
  return { body, headers };
};

/** Whether the caller has this very document already (RFC 9110 §13.1.2). */
const isKnown = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined && condition.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

const answer = (request: HttpRequest, { body, headers }: Rendered): HttpResponse => {
  const condition = request.header('if-none-match');
  if (isKnown(condition, headers['etag'] ?? '')) return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body };
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
 * The address at which the server describes itself. The document is the same for everybody: it is made when it is first
 * asked for, kept as text, and any site may read it.
 */
export const openApiRoute = (path: string, build: () => Promise<object>, onError: (error: unknown) => void): Route => {
  let rendered: Promise<Rendered> | undefined;
  return {
    path,
    handle: async (request) => {
      try {
        if (request.method === 'OPTIONS') return PREFLIGHT;
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          throw new OAuthError('invalid_request', `This address answers ${METHODS} only.`, {
            status: 405,
            headers: { allow: METHODS },
          });
        }
        rendered ??= build().then(render);
        return answer(request, await rendered);
      } catch (error) {
        if (!(error instanceof OAuthError)) rendered = undefined;
        return errorResponse(error, onError);
      }
    },
  };
};
