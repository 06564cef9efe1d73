import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { readAtMost } from '../../core/base/http/body.js';

/** Maximum bytes of a response. No checked response needs as many. */
const MAX_ANSWER_BYTES = 512 * 1024;

/** The response to a request. Redirects are not followed, because clients do not follow them either. */
export interface Answer {
  /** 0 if there is no response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: readonly string[];
  readonly text: string;
  /** The body, if it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds since the epoch, halfway between request and response. */
  readonly at: number;
  /** Milliseconds since the epoch, if there is a certificate. */
  readonly certificateEnds: number | undefined;
  /** Why there is no response. */
  readonly failure?: ProbeFailure;
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Instead of a form. */
  readonly json?: object;
}

type FailureKind = 'unreachable' | 'timeout' | 'certificate' | 'oversized' | 'broken';

/** A request without a response. */
class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH|ALTNAME/;

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  EPROTO: 'the server does not use TLS on this port',
};

const failureOf = (error: unknown): ProbeFailure => {
  if (error instanceof ProbeFailure) return error;
  const { message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (CERTIFICATE_CODE.test(code)) return new ProbeFailure('certificate', `${message} (${code})`);
  const known = code.startsWith('ERR_SSL') ? CODES['EPROTO'] : CODES[code];
  if (known !== undefined) return new ProbeFailure(code === 'ECONNRESET' ? 'broken' : 'unreachable', known);
  // A parser error: the response is not HTTP.
  return new ProbeFailure(code.startsWith('HPE_') ? 'broken' : 'unreachable', message || code);
};

const tooLong = (): ProbeFailure =>
  new ProbeFailure('oversized', `the response is longer than ${MAX_ANSWER_BYTES / 1024} KiB`);

const read = async (response: IncomingMessage): Promise<string> => {
  const body = await readAtMost(response, MAX_ANSWER_BYTES, tooLong);
  if (response.headers['content-encoding'] !== 'gzip') return body.toString('utf8');
  try {
    return gunzipSync(body, { maxOutputLength: MAX_ANSWER_BYTES }).toString('utf8');
  } catch {
    throw new ProbeFailure('broken', 'the response cannot be decompressed');
  }
};

const parse = (text: string): Answer['json'] => {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // An object that is not an array.
  } catch {
    return undefined;
  }
};

const certificateEnd = ({ socket }: IncomingMessage): number | undefined => {
  const ends = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : NaN;
  return Number.isNaN(ends) ? undefined : ends;
};

/** Sends requests one after another, each with a timeout and a limited response size, and counts them. */
export class Probe {
  readonly #timeout: number;
  #requests = 0;

  /** @param timeout - Milliseconds for each exchange, from the connection to the last byte. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** The number of requests sent. */
  get requests(): number {
    return this.#requests;
  }

  /** Sends a request. Without a response, all that the answer has is the failure. */
  async ask(url: URL, question: Question = {}): Promise<Answer> {
    this.#requests += 1;
    const asked = Date.now();
    const signal = AbortSignal.timeout(this.#timeout);
    try {
      const response = await this.#send(url, question, signal);
      const certificateEnds = certificateEnd(response);
      const arrived = Date.now();
      const text = await read(response);
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        cookies: response.headers['set-cookie'] ?? [],
        text,
        json: parse(text),
        at: (asked + arrived) / 2,
        certificateEnds,
      };
    } catch (error) {
      const failure = signal.aborted
        ? new ProbeFailure('timeout', `there was no complete response within ${this.#timeout / 1000} s`)
        : failureOf(error);
      const nothing = { headers: {}, cookies: [], text: '', json: undefined, certificateEnds: undefined };
      return { status: 0, ...nothing, at: asked, failure };
    }
  }

  #send(
    url: URL,
    { form, json, headers, method = form || json ? 'POST' : 'GET' }: Question,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
    const options = {
      method,
      // A new connection: an idle one could be closed at any moment, which would look like a problem.
      agent: false,
      signal,
      // The certificate must match the URL, even if a different Host header is sent on purpose.
      servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
      headers: {
        'user-agent': 'oauth-query-doctor',
        accept: '*/*',
        ...(body !== undefined && {
          'content-type': json === undefined ? 'application/x-www-form-urlencoded' : 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
    } as const;
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const outgoing: ClientRequest = send(url, options, resolve);
      outgoing.on('error', reject).end(body);
    });
  }
}
