import { createHash } from 'node:crypto';
import { Html } from '../../base/html.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import type { MaybePromise } from '../../base/ports.js';
import type { Checked } from '../../base/schema.js';
import { type BRANDING_OPTIONS, imageSource } from '../../base/pages/branding.js';
import { BUILT_IN_PAGES } from './built-in-pages.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import type { Languages } from '../../base/pages/languages/languages.js';
import { acceptedLanguage, askedLanguage, uiLocalesOf } from '../../base/pages/languages/negotiation.js';
import type { PageError } from './page-error.js';
import { styleSheet } from '../../base/pages/style.js';
import type {
  ConsentView,
  DeviceCodeView,
  DeviceConsentView,
  DeviceDoneView,
  ErrorView,
  GrantsView,
  LoginView,
  PageView,
  RenderedPage,
  Templates,
} from './views.js';

/** A rendered page. */
export interface Page {
  readonly html: Html;
  readonly styleSources: readonly string[];
  readonly imageSources: readonly string[];
}

/** A view from an endpoint; the language, the site and the sentences are added here. */
type Given<View> = Omit<View, keyof PageView | 'problem'>;

type ViewOf<Name extends keyof Templates> = Parameters<Templates[Name]>[0];

type Template<Name extends keyof Templates> = (view: ViewOf<Name>) => MaybePromise<RenderedPage>;

/** Further content of an error page. */
interface ErrorDetails {
  /** The first page of the flow with the error. */
  readonly start?: string;
  readonly explanation?: string;
}

/** The pages of this server for one request: the built-in ones, or the application's own. */
export interface PageRenderers {
  readonly locale: string;
  login(view: Given<LoginView>): Promise<Page>;
  consent(view: Given<ConsentView>): Promise<Page>;
  deviceCode(view: Given<DeviceCodeView>): Promise<Page>;
  deviceConsent(view: Given<DeviceConsentView>): Promise<Page>;
  deviceDone(view: Given<DeviceDoneView>): Promise<Page>;
  grants(view: Given<GrantsView>): Promise<Page>;
  error(error: PageError, details: ErrorDetails): Promise<Page>;
  /** The URL of a page, in the language that the request selected by `ui_locales`. */
  address(path: string): string;
  /**
   * The pages in the language of a request: that of `ui_locales`, of `Accept-Language`, or the default.
   *
   * @param uiLocales - From the form, if it is not in the query.
   */
  for(request: HttpRequest, uiLocales?: string): PageRenderers;
}

/** The settings of the pages. */
export interface PagesInit {
  readonly templates?: Partial<Templates> | undefined;
  readonly branding: Checked<typeof BRANDING_OPTIONS>;
  readonly languages: Languages;
  /** The host of the issuer; `undefined` if it is not known. */
  hostOf(request: HttpRequest): string | undefined;
}

interface MadePage {
  readonly html: Html;
  readonly styleSources?: readonly string[];
  readonly imageSources?: readonly string[];
}

const toPage = (name: string, page: RenderedPage): MadePage => {
  const given = typeof page === 'string' || page instanceof Html ? { html: page } : page;
  // The application may be written in JavaScript.
  const document: unknown = given?.html;
  if (document instanceof Html) return { ...given, html: document };
  if (typeof document === 'string') return { ...given, html: Html.trusted(document) };
  throw new TypeError(`options.templates.${name} must return the HTML of the page, as text or made by the tag html.`);
};

const FOOTER = ['help', 'privacy', 'terms'] as const;

/** The frame of each page. */
const frameOf = ({ branding, hostOf }: PagesInit, request: HttpRequest | undefined, language: Translator): PageView => {
  const { name, logo, color, links } = branding;
  const host = request && hostOf(request);
  return {
    locale: language.locale,
    dir: language.dir,
    site: {
      name: name ?? host ?? '',
      ...(host !== undefined && { host }),
      ...(logo !== undefined && { logo }),
      home: links.home ?? '/',
      links: FOOTER.flatMap((link) => {
        const href = links[link];
        return href === undefined ? [] : [{ href, text: language.text(link) }];
      }),
      ...(color !== undefined && { accent: color }),
    },
  };
};

/** The sources of the images on a page: the logos of the site and of the client. */
const pictureSources = ({ site, logoUri }: PageView & { readonly logoUri?: string }): readonly string[] => {
  const pictures = [site.logo, logoUri].filter((picture) => picture !== undefined);
  return [...new Set(pictures.map(imageSource))];
};

/** A problem as a sentence. */
const problemIn = (code: PageProblemCode | undefined, language: Translator): { readonly problem?: string } =>
  code === undefined ? {} : { problem: language.text(code) };

const errorIn = (
  { status, code, init }: PageError,
  { start, explanation }: ErrorDetails,
  language: Translator,
  { site }: PageView,
): Omit<ErrorView, keyof PageView> => {
  const home = { href: site.home, client: site.name };
  const { href, client } = init.back ?? (start === undefined ? home : { href: start, client: undefined });
  return {
    status,
    code,
    message: language.text(code, { count: init.count ?? 0 }),
    back: {
      href,
      text: client === undefined ? language.text('startAgain') : language.text('backTo', { name: client }),
    },
    ...(init.reference !== undefined && { reference: init.reference }),
    ...(explanation !== undefined && { explanation }),
  };
};

type Init = PagesInit & { readonly styleSource: string };

/** The pages for one request. Many requests need no page, so nothing is computed before the first one. */
class RequestPages implements PageRenderers {
  readonly #init: Init;
  readonly #request: HttpRequest | undefined;
  readonly #uiLocales: string | undefined;
  #locale: string | undefined;

  constructor(init: Init, request?: HttpRequest, uiLocales?: string) {
    this.#init = init;
    this.#request = request;
    this.#uiLocales = uiLocales;
  }

  get locale(): string {
    const { languages } = this.#init;
    const accepted = (): string | undefined => this.#request && acceptedLanguage(this.#request, languages.offered);
    return (this.#locale ??= languages.get(this.#asked ?? accepted()).locale);
  }

  get #asked(): string | undefined {
    const { languages } = this.#init;
    return askedLanguage(this.#uiLocales ?? uiLocalesOf(this.#request?.query ?? ''), languages.offered);
  }

  login(given: Given<LoginView>): Promise<Page> {
    return this.#render('login', (language) => ({ ...given, ...problemIn(given.problemCode, language) }));
  }

  consent(given: Given<ConsentView>): Promise<Page> {
    return this.#render('consent', () => given);
  }

  deviceCode(given: Given<DeviceCodeView>): Promise<Page> {
    return this.#render('deviceCode', (language) => ({ ...given, ...problemIn(given.problemCode, language) }));
  }

  deviceConsent(given: Given<DeviceConsentView>): Promise<Page> {
    return this.#render('deviceConsent', () => given);
  }

  deviceDone(given: Given<DeviceDoneView>): Promise<Page> {
    return this.#render('deviceDone', () => given);
  }

  grants(given: Given<GrantsView>): Promise<Page> {
    return this.#render('grants', () => given);
  }

  error(error: PageError, details: ErrorDetails): Promise<Page> {
    return this.#render('error', (language, frame) => errorIn(error, details, language, frame));
  }

  address(path: string): string {
    const asked = this.#asked;
    if (asked === undefined) return path;
    return `${path}${path.includes('?') ? '&' : '?'}ui_locales=${encodeURIComponent(asked)}`;
  }

  for(request: HttpRequest, uiLocales?: string): PageRenderers {
    return new RequestPages(this.#init, request, uiLocales);
  }

  async #render<Name extends keyof Templates>(
    name: Name,
    rest: (language: Translator, frame: PageView) => Omit<ViewOf<Name>, keyof PageView>,
  ): Promise<Page> {
    const { languages, templates = {}, styleSource } = this.#init;
    const language = languages.get(this.locale);
    const frame = frameOf(this.#init, this.#request, language);
    // The compiler cannot infer that frame and data are a view, or which template belongs to it.
    const view = { ...rest(language, frame), ...frame } as ViewOf<Name>;
    const own = templates[name] as Template<Name> | undefined;
    const made = own === undefined ? BUILT_IN_PAGES[name](view, language) : await own(view);
    const { html, styleSources = [], imageSources = [] } = toPage(name, made);
    return {
      html,
      // A hash would disable 'unsafe-inline'.
      styleSources: styleSources.includes("'unsafe-inline'") ? styleSources : [styleSource, ...styleSources],
      imageSources: [...pictureSources(view), ...imageSources],
    };
  }
}

/** The pages of a server, in its default language until a request selects another. */
export const createPages = (init: PagesInit): PageRenderers => {
  const hash = createHash('sha256').update(styleSheet(init.branding.color)).digest('base64');
  return new RequestPages({ ...init, styleSource: `'sha256-${hash}'` });
};

export interface PageResponseInit {
  readonly status?: number;
  /**
   * Whether a form of the page may redirect to a client. Some browsers apply `form-action` to every following
   * redirect, including those of the client, whose targets are unknown.
   */
  readonly leadsToClient?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string | undefined;
}

/**
 * An HTML page that cannot be framed, loads nothing from other sites and sends no referrer.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.16 | RFC 9700 §4.16}
 */
export const pageResponse = (page: Page, init: PageResponseInit = {}): HttpResponse => {
  const { html, styleSources, imageSources } = page;
  const policy = [
    "default-src 'none'",
    ...(styleSources.length === 0 ? [] : [`style-src ${styleSources.join(' ')}`]),
    ...(imageSources.length === 0 ? [] : [`img-src ${imageSources.join(' ')}`]),
    ...(init.leadsToClient === true ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    status: init.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      ...init.headers,
      ...(init.cookie === undefined ? {} : { 'set-cookie': init.cookie }),
    },
    body: html.source,
  };
};
