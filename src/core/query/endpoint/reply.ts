import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import type { ApiError } from '../answer/api-error.js';
import { type AnswerStyle, ERROR_FORMATS, errorItem, warningsItem } from '../answer/error-format.js';
import { message } from '../answer/messages.js';
import {
  cleanCallback,
  FORMATS,
  type Headers,
  isXml,
  printAnswer,
  printExport,
  type Printer,
  VARY,
} from '../answer/print.js';
import type { MutableItem } from '../answer/result-format.js';
import type { Warnings } from '../answer/warnings.js';
import { isoSeconds } from '../parameters/types/timestamp.js';
import type { ActionResult } from '../run/action.js';
import type { OriginDecision } from './cors.js';
import type { MainTexts } from './main-parameters.js';

/** How a request is answered. Errors are printed in the same way, so it is known before anything can fail. */
export interface Reply {
  readonly printer: Printer;
  readonly style: AnswerStyle;
  /** Additional headers. */
  readonly headers: Headers;
  /** Fields to echo in the response. */
  readonly echo: MutableItem;
  /** Whether the response must not depend on the user: any site may have sent the request, and may read the response. */
  readonly isolated: boolean;
  /** An invalid parameter of the format, which is an error only if there is no other one. */
  readonly printerError: ApiError | undefined;
}

const EXPOSED_ERROR = 'mediawiki-api-error';

/** Before the parameters of a request are read. */
export const plainReply = (documentation: string): Reply => ({
  printer: { format: 'json', callback: undefined, utf8: false, hasNamespace: false },
  style: { version: 1, errorFormat: 'bc', documentation },
  headers: {},
  echo: {},
  isolated: false,
  printerError: undefined,
});

/** How a request with these parameters is answered. @param now - Milliseconds. */
export const replyTo = (
  request: HttpRequest,
  texts: MainTexts,
  { headers = {}, anonymous }: OriginDecision,
  { documentation, now }: { readonly documentation: string; readonly now: number },
): Reply => {
  const named = texts.get('format');
  // A browser's search box sends no format, but accepts HTML.
  const isSearchBox = named === undefined && texts.get('action') === 'opensearch';
  const format = isSearchBox ? 'json' : formatOf(named, request);
  const version = !isXml(format) && ['2', 'latest'].includes(texts.get('formatversion') ?? '') ? 2 : 1;
  const callback = texts.get('callback');
  const printer: Printer = {
    format,
    callback: callback === undefined ? undefined : cleanCallback(callback),
    utf8: version === 2 ? texts.get('ascii') === undefined : texts.get('utf8') !== undefined,
    hasNamespace: texts.get('includexmlnamespace') !== undefined,
  };
  const errorFormat = ERROR_FORMATS.find((name) => name === texts.get('errorformat')) ?? 'bc';
  const untrusted = request.header('treat-as-untrusted') !== undefined;
  const isolated = anonymous || untrusted || printer.callback !== undefined;
  return {
    printer,
    style: { version, errorFormat, documentation },
    headers: {
      ...headers,
      ...(isolated && { 'mediawiki-login-suppressed': 'true' }),
      ...(!isKnown(named) && { vary: `${headers['vary'] ?? VARY}, Accept` }),
    },
    echo: echoOf(texts, now),
    isolated,
    printerError: undefined,
  };
};

/**
 * Without a known `format`, programs receive JSON, even if they accept any type; browsers, which do not accept JSON
 * explicitly, receive a page.
 */
const formatOf = (format: string | undefined, request: HttpRequest): Printer['format'] => {
  if (isKnown(format)) return format;
  const accept = request.header('accept') ?? '';
  return accept.includes('text/html') && !accept.includes('application/json') ? 'jsonfm' : 'json';
};

const isKnown = (format: string | undefined): format is Printer['format'] => FORMATS.some((name) => name === format);

const echoOf = (texts: MainTexts, now: number): MutableItem => {
  const language = texts.get('responselanginfo') === undefined ? undefined : 'en';
  return {
    requestid: texts.get('requestid'),
    curtimestamp: texts.get('curtimestamp') === undefined ? undefined : isoSeconds(now / 1000),
    uselang: language,
    errorlang: language,
  };
};

/** With further headers, such as a new nonce. */
export const withHeaders = (reply: Reply, headers: Headers = {}): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
});

/** With an invalid parameter of the format. An invalid callback is not called. */
export const withPrinterError = (reply: Reply, error: ApiError): Reply => ({
  ...reply,
  printer: { ...reply.printer, callback: undefined },
  printerError: error,
});

/** The response with the result of an action. */
export const printResult = (result: ActionResult, reply: Reply, warnings: Warnings): HttpResponse => {
  if ('page' in result) return result.page;
  if ('xml' in result) return printExport(result.xml, reply.headers);
  // The OpenSearch format consists of the list only.
  if ('list' in result) return printAnswer(result.list, reply.printer, 200, reply.headers);
  const { batchcomplete, continue: next, ...data } = result.data;
  const answer = { batchcomplete, continue: next, ...warningsItem(warnings.list, reply.style), ...data };
  return printAnswer({ ...answer, ...reply.echo }, reply.printer, 200, reply.headers);
};

/** The response to an error. Warnings come after it. */
export const printError = (error: ApiError, reply: Reply, warnings: Warnings): HttpResponse => {
  if (reply.printerError) {
    warnings.add('json', reply.printerError.code, reply.printerError.text);
    warnings.add('main', 'errorprinterfailed', message('apiwarn-errorprinterfailed'));
  }
  const answer = { ...errorItem(error, reply.style), ...warningsItem(warnings.list, reply.style), ...reply.echo };
  const headers = { ...reply.headers, [EXPOSED_ERROR]: error.code, ...error.headers };
  return printAnswer(answer, reply.printer, error.status, headers);
};
