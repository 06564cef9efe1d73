import type { HttpRequest, HttpResponse, Route } from '../../base/http/messages.js';
import { ApiError } from '../answer/api-error.js';
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
import { apiErrorOf } from '../answer/unexpected-error.js';
import { Warnings } from '../answer/warnings.js';
import type { Caller } from '../caller.js';
import { compileModule, type ModuleParser } from '../parameters/parse.js';
import { readParameters, RequestParameters } from '../parameters/request-parameters.js';
import { isoSeconds } from '../parameters/types/timestamp.js';
import type { Action, ActionResult } from '../run/action.js';
import { HandlerDeadline } from '../run/deadline.js';
import { fitToSize } from '../run/fitting.js';
import type { QueryModule } from '../run/query-modules.js';
import type { QueryService } from '../run/query-run.js';
import { type ResultBudget, FULL_BUDGET, type RequestContext } from '../run/request-context.js';
import { warnUnrecognized } from '../run/unrecognized.js';
import { SIZES } from '../sizes.js';
import { decideOrigin, originCheck, type OriginDecision } from './cors.js';
import { checkAssertions, identifyCaller } from './identity.js';
import { jsonModule, mainModule, type MainParams, type MainTexts, xmlModule } from './main-parameters.js';

const METHODS = new Set(['GET', 'HEAD', 'POST']);
const EXPOSED_ERROR = 'mediawiki-api-error';

/** The parts of the endpoint. */
interface EndpointParts {
  readonly service: QueryService;
  readonly actions: Readonly<Record<MainParams['action'], Action>>;
  readonly main: ModuleParser<MainParams>;
  /** The parsers of the parameters of a format. */
  readonly printers: Readonly<Record<'json' | 'xml', ModuleParser<unknown>>>;
}

type Handle = (request: HttpRequest, addressed?: QueryModule) => Promise<HttpResponse>;

/** Creates the function that handles requests to the endpoint. */
export const createEndpoint = (service: QueryService, actions: EndpointParts['actions']): Handle => {
  const { site, options, host, body } = service;
  const rules = { isAllowed: originCheck(options.cors), bindsTokens: host.bindsTokens };
  const parts: EndpointParts = {
    service,
    actions,
    main: compileModule(mainModule, site),
    printers: { json: compileModule(jsonModule, site), xml: compileModule(xmlModule, site) },
  };
  return async (request, addressed) => {
    const exchange = new Exchange(parts, request, addressed);
    try {
      const parameters = await readParameters(request, body);
      const origin = decideOrigin(request, parameters, rules);
      if (origin.response) return origin.response;
      exchange.begin(parameters, origin);
      return await exchange.answer();
    } catch (error) {
      return exchange.fail(error);
    } finally {
      exchange.deadline.end();
    }
  };
};

/** The state of one request, which both successful responses and errors need. */
class Exchange {
  readonly deadline: HandlerDeadline;
  readonly #parts: EndpointParts;
  readonly #request: HttpRequest;
  readonly #addressed: QueryModule | undefined;
  readonly #warnings = new Warnings();
  /** Additional headers. */
  #headers: Headers = {};
  /** Fields to echo in the response. */
  #echo: MutableItem = {};
  #parameters = new RequestParameters();
  #isolated = false;
  #printer: Printer = { format: 'json', callback: undefined, utf8: false, hasNamespace: false };
  #style: AnswerStyle;
  #printerError: ApiError | undefined;

  constructor(parts: EndpointParts, request: HttpRequest, addressed: QueryModule | undefined) {
    this.#parts = parts;
    this.#request = request;
    this.#addressed = addressed;
    const { options, host, documentation } = parts.service;
    this.deadline = new HandlerDeadline(options.timeout, host.timer);
    this.#style = { version: 1, errorFormat: 'bc', documentation };
  }

  /** Determines the format of the response, which errors use too. */
  begin(parameters: RequestParameters, { headers = {}, anonymous }: OriginDecision): void {
    this.#parameters = parameters;
    this.#headers = headers;
    parameters.onArray = (name) =>
      this.#warnings.add('main', 'unsupportedarray', message('apiwarn-unsupportedarray', { plaintext: name }));
    this.#choosePrinter(parameters);
    const untrusted = this.#request.header('treat-as-untrusted') !== undefined;
    this.#isolated = anonymous || untrusted || this.#printer.callback !== undefined;
    if (this.#isolated) this.#addHeader('mediawiki-login-suppressed', 'true');
    if (!isKnown(parameters.get('format'))) this.#addHeader('vary', `${headers['vary'] ?? VARY}, Accept`);
    this.#echo = this.#echoed(parameters);
  }

  #addHeader(name: string, value: string): void {
    this.#headers = { ...this.#headers, [name]: value };
  }

  #choosePrinter(texts: MainTexts): void {
    const errorFormat = ERROR_FORMATS.find((name) => name === texts.get('errorformat')) ?? 'bc';
    const named = texts.get('format');
    // A browser's search box sends no format, but accepts HTML.
    const isSearchBox = named === undefined && texts.get('action') === 'opensearch';
    const format = isSearchBox ? 'json' : this.#formatOf(named);
    const version = !isXml(format) && ['2', 'latest'].includes(texts.get('formatversion') ?? '') ? 2 : 1;
    this.#style = { ...this.#style, errorFormat, version };
    const callback = texts.get('callback');
    this.#printer = {
      format,
      callback: callback === undefined ? undefined : cleanCallback(callback),
      utf8: version === 2 ? texts.get('ascii') === undefined : texts.get('utf8') !== undefined,
      hasNamespace: texts.get('includexmlnamespace') !== undefined,
    };
  }

  /**
   * Without a known `format`, programs receive JSON, even if they accept any type; browsers, which do not accept JSON
   * explicitly, receive a page.
   */
  #formatOf(format: string | undefined): Printer['format'] {
    if (isKnown(format)) return format;
    const accept = this.#request.header('accept') ?? '';
    return accept.includes('text/html') && !accept.includes('application/json') ? 'jsonfm' : 'json';
  }

  #echoed(texts: MainTexts): MutableItem {
    const { clock } = this.#parts.service.host;
    const language = texts.get('responselanginfo') === undefined ? undefined : 'en';
    return {
      requestid: texts.get('requestid'),
      curtimestamp: texts.get('curtimestamp') === undefined ? undefined : isoSeconds(clock() / 1000),
      uselang: language,
      errorlang: language,
    };
  }

  async answer(): Promise<HttpResponse> {
    const { service, main, actions } = this.#parts;
    const printing = this.#parts.printers[isXml(this.#printer.format) ? 'xml' : 'json'];
    const caller = await this.#identify();
    const context: RequestContext = {
      request: this.#request,
      parameters: this.#parameters,
      caller,
      isolated: this.#isolated,
      style: this.#style,
      deadline: this.deadline,
      addressed: this.#addressed,
      parsers: [main, printing],
      highLimits: caller?.rights.includes('apihighlimits') ?? false,
      now: service.host.clock(),
      warnings: this.#warnings,
    };
    this.#readPrinterParameters(printing, context);
    const params = main.parse(this.#parameters, context);
    checkAssertions(params, caller, service.site);
    if (!METHODS.has(this.#request.method)) {
      throw new ApiError('invalidmethod', message('apierror-invalidmethod'), {
        module: 'main',
        status: 405,
        headers: { allow: 'GET, HEAD, POST, OPTIONS' },
      });
    }
    const { maxage } = params;
    const answer = actions[this.#addressed ? 'query' : params.action](context);
    const result = await answer(FULL_BUDGET);
    if ('page' in result) return result.page;
    if (this.#printerError) throw this.#printerError;
    this.#warnUnread(context);
    if ('list' in result && result.refusesWarnings && this.#warnings.list.length > 0) {
      throw new ApiError('warnings', message('apierror-opensearch-json-warnings'), { module: params.action });
    }
    const response = await this.#fitting(answer, this.#printResult(result));
    // Errors are not cacheable.
    return maxage > 0 ? cacheable(response, maxage) : response;
  }

  /** The caller, within its limit of requests. A request whose token is rejected counts as anonymous. */
  async #identify(): Promise<Caller | undefined> {
    const { service } = this.#parts;
    const { limiter } = service;
    let caller: Caller | undefined;
    try {
      const known = await identifyCaller(this.#request, service);
      this.#headers = { ...this.#headers, ...known.headers };
      caller = this.#isolated ? undefined : known.caller;
    } catch (error) {
      limiter?.take('requests', 1, this.#request, undefined);
      throw error;
    }
    limiter?.take('requests', 1, this.#request, caller);
    return caller;
  }

  #fitting(answer: (budget: ResultBudget) => Promise<ActionResult>, first: HttpResponse): Promise<HttpResponse> {
    return fitToSize({
      first,
      lengthOf: ({ body }) => body.length,
      most: SIZES.response,
      again: async (lower) => this.#printResult(await answer({ ...FULL_BUDGET, ...lower })),
    });
  }

  #printResult(result: ActionResult): HttpResponse {
    if ('page' in result) return result.page;
    if ('xml' in result) return printExport(result.xml, this.#headers);
    // The OpenSearch format consists of the list only.
    if ('list' in result) return printAnswer(result.list, this.#printer, 200, this.#headers);
    return this.#print(result.data);
  }

  /** An invalid printer parameter is an error only if there is no other one. */
  #readPrinterParameters(parser: ModuleParser<unknown>, context: RequestContext): void {
    try {
      parser.parse(this.#parameters, context);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#printerError = error;
      // An invalid callback is not called.
      this.#printer = { ...this.#printer, callback: undefined };
    }
  }

  /** Warns of parameters that were not read. */
  #warnUnread(context: RequestContext): void {
    if (this.#request.method === 'POST' && this.#request.header('content-type') === undefined) {
      this.#warnings.deprecation(
        'main',
        message('apiwarn-deprecation-post-without-content-type'),
        'post-without-content-type',
      );
    }
    const cacheBuster = this.#printer.callback === undefined ? undefined : '_';
    warnUnrecognized(context, (name) => name === cacheBuster);
  }

  /** The response to an error. Unexpected errors are reported to the application only. */
  fail(error: unknown): HttpResponse {
    const known = apiErrorOf(error, this.#parts.service.host);
    if (this.#printerError) {
      this.#warnings.add('json', this.#printerError.code, this.#printerError.text);
      this.#warnings.add('main', 'errorprinterfailed', message('apiwarn-errorprinterfailed'));
    }
    this.#addHeader(EXPOSED_ERROR, known.code);
    return this.#print(errorItem(known, this.#style), known);
  }

  /** Prints data with the warnings, which come first unless there is an error, and with the fields to echo. */
  #print({ batchcomplete, continue: next, ...rest }: MutableItem, error?: ApiError): HttpResponse {
    const warnings = warningsItem(this.#warnings.list, this.#style);
    const answer = error ? { ...rest, ...warnings } : { batchcomplete, continue: next, ...warnings, ...rest };
    const headers = { ...this.#headers, ...error?.headers };
    return printAnswer({ ...answer, ...this.#echo }, this.#printer, error?.status ?? 200, headers);
  }
}

const isKnown = (format: string | undefined): format is Printer['format'] => FORMATS.some((name) => name === format);

/** The response with a `max-age`, unless it has a new nonce. */
const cacheable = (response: HttpResponse, maxage: number): HttpResponse => {
  const { headers } = response;
  return headers['cache-control'] === 'no-store'
    ? response
    : { ...response, headers: { ...headers, 'cache-control': `private, must-revalidate, max-age=${maxage}` } };
};

/** The routes of the endpoint: its paths, and below each path one for every module. */
export const routesOf = (
  handle: Handle,
  paths: readonly string[],
  modules: Iterable<QueryModule>,
): readonly Route[] => {
  const all = [...modules];
  return paths.flatMap((path): Route[] => [
    { path, handle: (request) => handle(request) },
    ...all.map((module): Route => ({ path: `${path}/${module.path}`, handle: (request) => handle(request, module) })),
  ]);
};
