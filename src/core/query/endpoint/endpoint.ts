import type { HttpRequest, HttpResponse, Route } from '../../http.js';
import { cleanCallback, type Headers, printAnswer, type Printer } from '../answer/print.js';
import { ApiError } from '../answer/api-error.js';
import { decideOrigin, originCheck, type OriginDecision } from './cors.js';
import { Deadline } from '../modules/deadline.js';
import { type AnswerStyle, ERROR_FORMATS, writeError, writeWarnings } from '../answer/error-format.js';
import type { Caller } from '../modules/handlers.js';
import { checkAssertions, identifyCaller } from './identity.js';
import { checkLag } from './lag.js';
import { FORMATS } from './main-parameters.js';
import { message } from '../answer/messages.js';
import type { QueryModule } from '../modules/modules.js';
import type { QueryEnvironment, QueryOptions } from '../options.js';
import type { ModuleParser, ParsedParams } from '../parameters/parse.js';
import { readParameters, RequestParameters } from '../request/request-parameters.js';
import type { MutableItem } from '../answer/result-format.js';
import { isoSeconds } from '../types/timestamp.js';
import type { ParseContext } from '../types/index.js';
import { Warnings } from '../answer/warnings.js';

const LONGEST = 8 * 1024 * 1024;
/** How often a large answer is tried with smaller limits, and by how much more than it seems to need. */
const ATTEMPTS = 4;
const MARGIN = 0.8;
const METHODS = new Set(['GET', 'HEAD', 'POST']);
const EXPOSED_ERROR = 'mediawiki-api-error';

/** An action of the endpoint. */
export interface Action {
  readonly parser: ModuleParser;
  run(call: Call): Promise<ActionResult>;
}

/** What an action gives: data for the answer, or a page of its own. */
export type ActionResult = { readonly data: MutableItem } | { readonly page: HttpResponse };

/** One request on its way through the endpoint. */
export interface Call {
  readonly request: HttpRequest;
  readonly parameters: RequestParameters;
  readonly parsing: ParseContext;
  readonly caller: Caller | undefined;
  /** Whether any site may have sent the request and may read the answer. */
  readonly isolated: boolean;
  readonly params: ParsedParams;
  readonly style: AnswerStyle;
  readonly deadline: Deadline;
  /** The module whose own path was called. */
  readonly addressed: QueryModule | undefined;
  /** The part of each limit that is asked for, when the whole has made the answer too large. */
  readonly share: number;
  /** The length that the answer must not exceed, when smaller limits have not helped: what has no room is left out. */
  readonly room: number | undefined;
  /** Parsers that have taken part: what none of them knows is unrecognised. */
  readonly parsers: ModuleParser[];
}

/** What the endpoint is made of. */
export interface EndpointParts {
  readonly options: QueryOptions;
  readonly environment: QueryEnvironment;
  readonly main: ModuleParser;
  readonly json: ModuleParser;
  readonly actions: ReadonlyMap<string, Action>;
  /** Where the API is described. */
  readonly documentation: string;
}

/** Makes what answers at the endpoint's paths. */
export function createEndpoint(
  parts: EndpointParts,
): (request: HttpRequest, addressed?: QueryModule) => Promise<HttpResponse> {
  const allowed = originCheck(parts.options.origins ?? []);
  return async (request, addressed) => {
    const exchange = new Exchange(parts, request, addressed);
    try {
      const reading = readParameters(request, parts.environment.maxBodyBytes);
      const parameters = reading instanceof Promise ? await reading : reading;
      const origin = decideOrigin(request, parameters, allowed);
      if (origin.response) return origin.response;
      exchange.begin(parameters, origin);
      return await exchange.answer();
    } catch (error) {
      return exchange.fail(error);
    } finally {
      exchange.deadline.end();
    }
  };
}

/** The state of one request: everything that an answer needs, whether it succeeds or not. */
class Exchange {
  readonly deadline: Deadline;
  readonly #parts: EndpointParts;
  readonly #request: HttpRequest;
  readonly #addressed: QueryModule | undefined;
  readonly #warnings = new Warnings();
  /** Header fields beside the usual ones, if there are any. */
  #headers: Headers | undefined;
  /** What the request wants to see again, if anything. */
  #echo: MutableItem | undefined;
  #parameters = new RequestParameters();
  #isolated = false;
  #printer: Printer = { format: 'json', callback: undefined, utf8: false };
  #style: AnswerStyle;
  #printerError: ApiError | undefined;

  constructor(parts: EndpointParts, request: HttpRequest, addressed: QueryModule | undefined) {
    this.#parts = parts;
    this.#request = request;
    this.#addressed = addressed;
    this.deadline = new Deadline(parts.options.deadline ?? 10_000);
    this.#style = { version: 1, errorFormat: 'bc', documentation: parts.documentation };
  }

  /** Takes note of how the answer has to look, so that errors look like it too. */
  begin(parameters: RequestParameters, { headers, anonymous }: OriginDecision): void {
    this.#parameters = parameters;
    this.#headers = headers;
    parameters.onArray = (name) =>
      this.#warnings.add('main', 'unsupportedarray', message('apiwarn-unsupportedarray', { plaintext: name }));
    this.#choosePrinter(parameters);
    const untrusted = this.#request.header('treat-as-untrusted') !== undefined;
    this.#isolated = anonymous || untrusted || this.#printer.callback !== undefined;
    if (this.#isolated) this.#addHeader('mediawiki-login-suppressed', 'true');
    this.#echoFields(parameters);
  }

  #addHeader(name: string, value: string): void {
    this.#headers = { ...this.#headers, [name]: value };
  }

  #choosePrinter(parameters: RequestParameters): void {
    const errorFormat = ERROR_FORMATS.find((name) => name === parameters.get('errorformat')) ?? 'bc';
    const version = ['2', 'latest'].includes(parameters.get('formatversion') ?? '') ? 2 : 1;
    this.#style = { ...this.#style, errorFormat, version };
    const callback = parameters.get('callback');
    this.#printer = {
      format: this.#formatOf(parameters.get('format')),
      callback: callback === undefined ? undefined : cleanCallback(callback),
      utf8: version === 2 ? parameters.get('ascii') === undefined : parameters.get('utf8') !== undefined,
    };
  }

  /**
   * Programs that name no format get JSON, also those that say they take anything; browsers, which never ask for JSON,
   * get a page, as do requests for a format that there is not.
   */
  #formatOf(format: string | undefined): Printer['format'] {
    if (format === undefined) {
      const accept = this.#request.header('accept') ?? '';
      return accept.includes('text/html') && !accept.includes('application/json') ? 'jsonfm' : 'json';
    }
    return FORMATS.find((name) => name === format) ?? 'jsonfm';
  }

  #echoFields(parameters: RequestParameters): void {
    const { clock } = this.#parts.environment;
    const { servedBy } = this.#parts.options;
    const requestid = parameters.get('requestid');
    const add = (item: MutableItem): void => void Object.assign((this.#echo ??= {}), item);
    if (requestid !== undefined) add({ requestid });
    if (parameters.get('servedby') !== undefined && servedBy !== undefined) add({ servedby: servedBy });
    if (parameters.get('curtimestamp') !== undefined) add({ curtimestamp: isoSeconds(clock() / 1000) });
    if (parameters.get('responselanginfo') !== undefined) add({ uselang: 'en', errorlang: 'en' });
  }

  async answer(): Promise<HttpResponse> {
    const { options, environment, main, json, actions } = this.#parts;
    const known = await identifyCaller(this.#request, environment);
    const caller = this.#isolated ? undefined : known;
    const parsing: ParseContext = {
      highLimits: caller?.rights.includes('apihighlimits') ?? false,
      now: environment.clock(),
      warnings: this.#warnings,
    };
    this.#readPrinterParameters(json, parsing);
    const params = this.#addressed
      ? { ...main.parse(this.#parameters, parsing), action: 'query' }
      : main.parse(this.#parameters, parsing);
    checkAssertions(params, caller);
    if (!METHODS.has(this.#request.method)) {
      throw new ApiError('invalidmethod', message('apierror-invalidmethod'), {
        module: 'main',
        status: 405,
        headers: { allow: 'GET, HEAD, POST, OPTIONS' },
      });
    }
    if (options.lag && params['maxlag'] !== undefined) await checkLag(params['maxlag'], options.lag);
    const action = actions.get(String(params['action']));
    if (!action) throw new TypeError(`No action "${String(params['action'])}".`);
    const call: Call = {
      request: this.#request,
      parameters: this.#parameters,
      parsing,
      caller,
      isolated: this.#isolated,
      params: action.parser.parse(this.#parameters, parsing),
      style: this.#style,
      deadline: this.deadline,
      addressed: this.#addressed,
      share: 1,
      room: undefined,
      parsers: [main, json, action.parser],
    };
    const result = await action.run(call);
    if ('page' in result) return result.page;
    if (this.#printerError) throw this.#printerError;
    this.#warnForgotten(call);
    const response = await this.#fitting(action, call, this.#print(result.data));
    // Errors are never kept.
    return typeof params['maxage'] === 'number' && params['maxage'] > 0 ? kept(response, params['maxage']) : response;
  }

  /**
   * An answer that is too large is asked for again, with smaller limits: its continuation is right then. Data that are
   * too large by themselves are left out in the end.
   */
  async #fitting(action: Action, call: Call, first: HttpResponse): Promise<HttpResponse> {
    const most = this.#parts.options.maxResultLength ?? LONGEST;
    let response = first;
    for (let share = 1, attempts = 0; response.body.length > most; attempts += 1) {
      if (attempts > ATTEMPTS)
        throw new ApiError('badconfig', message('apierror-badconfig-resulttoosmall'), { module: 'main' });
      share *= (most / response.body.length) * MARGIN;
      const result = await action.run({ ...call, share, room: attempts === ATTEMPTS ? most : undefined });
      response = 'page' in result ? result.page : this.#print(result.data);
    }
    return response;
  }

  /** A wrong printer parameter is an error only if nothing else is. */
  #readPrinterParameters(json: ModuleParser, parsing: ParseContext): void {
    try {
      json.parse(this.#parameters, parsing);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#printerError = error;
    }
  }

  /** Names of the request that nobody has read. */
  #warnForgotten({ parameters, parsers, parsing }: Call): void {
    if (this.#request.method === 'POST' && this.#request.header('content-type') === undefined) {
      this.#warnings.deprecation(
        'main',
        message('apiwarn-deprecation-post-without-content-type'),
        'post-without-content-type',
      );
    }
    const cacheBuster = this.#printer.callback === undefined ? undefined : '_';
    const forgotten = parameters.namesBut(
      (name) => parsers.some((parser) => parser.knows(name)) || parsing.expanded?.has(name) || name === cacheBuster,
    );
    if (forgotten.length > 0) {
      this.#warnings.add(
        'main',
        'unrecognizedparams',
        message('apierror-unrecognizedparams', { list: forgotten, type: 'comma' }, forgotten.length),
      );
    }
  }

  /** Puts the answer to an error together. What nobody meant to happen is told to the host and to nobody else. */
  fail(error: unknown): HttpResponse {
    const known = error instanceof ApiError ? error : this.#unexpected(error);
    if (this.#printerError) {
      this.#warnings.add('json', this.#printerError.code, this.#printerError.text);
      this.#warnings.add('main', 'errorprinterfailed', message('apiwarn-errorprinterfailed'));
    }
    const answer: MutableItem = {};
    writeError(answer, known, this.#style);
    this.#addHeader(EXPOSED_ERROR, known.code);
    return this.#print(answer, known);
  }

  #unexpected(error: unknown): ApiError {
    const { environment } = this.#parts;
    environment.onError(error);
    const id = Buffer.from(environment.random(12)).toString('hex');
    return new ApiError('internal_api_error_Error', message('apierror-internal', id), {
      module: 'main',
      data: { errorclass: 'Error' },
    });
  }

  #print(data: MutableItem, error?: ApiError): HttpResponse {
    const answer = this.#warnings.list.length === 0 && !this.#echo ? data : this.#complete(data, error);
    const headers = error ? { ...this.#headers, ...error.headers } : this.#headers;
    return printAnswer(answer, this.#printer, error?.status ?? 200, headers);
  }

  /** The data with everything that is said beside them. */
  #complete({ batchcomplete, continue: next, ...rest }: MutableItem, error: ApiError | undefined): MutableItem {
    const answer: MutableItem = {
      ...(batchcomplete === undefined ? {} : { batchcomplete }),
      ...(next === undefined ? {} : { continue: next }),
    };
    if (!error) writeWarnings(answer, this.#warnings.list, this.#style);
    Object.assign(answer, rest);
    if (error) writeWarnings(answer, this.#warnings.list, this.#style);
    return Object.assign(answer, this.#echo);
  }
}

/** The answer for who may use it again for so many seconds. */
const kept = ({ headers, ...response }: HttpResponse, maxage: number): HttpResponse => ({
  ...response,
  headers: { ...headers, 'cache-control': `private, must-revalidate, max-age=${maxage}` },
});

/** The endpoint's routes: its paths, and below each one for every module. */
export function routesOf(
  handle: (request: HttpRequest, addressed?: QueryModule) => Promise<HttpResponse>,
  paths: readonly string[],
  modules: Iterable<QueryModule>,
): readonly Route[] {
  const all = [...modules];
  return paths.flatMap((path): Route[] => [
    { path, handle: (request) => handle(request) },
    ...all.map((module): Route => ({ path: `${path}/${module.path}`, handle: (request) => handle(request, module) })),
  ]);
}
