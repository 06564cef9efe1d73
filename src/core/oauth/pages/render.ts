import { Html } from '../../base/html.js';
import type { HttpRequest } from '../../base/http/messages.js';
import { Frame, type FrameInit, hashSource } from '../../base/pages/frame.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import type { PageLink, PageView } from '../../base/pages/layout.js';
import type { Page } from '../../base/pages/response.js';
import { BUILT_IN_PAGES, SHOW_PASSWORD } from './built-in-pages.js';
import { confirmationOf, doneText, type Ending } from './endings.js';
import type { PageError } from './page-error.js';
import type {
  ConfirmView,
  ConsentView,
  DeviceCodeView,
  DeviceConsentView,
  DeviceDoneView,
  ErrorView,
  GrantsView,
  LoginView,
  RenderedPage,
  Template,
  TokensView,
  View,
  ViewOf,
} from './views.js';

/** A view from an endpoint; the language, the site and the sentences are added here. */
type ViewFields<Page, Added extends PropertyKey = never> = Omit<Page, keyof PageView | 'page' | 'problem' | Added>;

/** Further content of an error page. */
interface ErrorDetails {
  /** The first page of the flow with the error. */
  readonly start?: string;
  readonly explanation?: string;
}

/** What the last form of a page ended. */
interface Done {
  readonly done: Ending | undefined;
}

/** The pages of this server for one request: the built-in ones, or the application's own. */
export interface PageRenderers {
  readonly locale: string;
  login(view: ViewFields<LoginView, 'links'>): Promise<Page>;
  consent(view: ViewFields<ConsentView>): Promise<Page>;
  deviceCode(view: ViewFields<DeviceCodeView>): Promise<Page>;
  deviceConsent(view: ViewFields<DeviceConsentView>): Promise<Page>;
  deviceDone(view: ViewFields<DeviceDoneView>): Promise<Page>;
  grants(view: ViewFields<GrantsView, 'notice'> & Done): Promise<Page>;
  tokens(view: ViewFields<TokensView, 'notice'> & Done): Promise<Page>;
  confirm(view: Pick<ConfirmView, 'action' | 'hidden' | 'cancelPath'> & { readonly ending: Ending }): Promise<Page>;
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
export interface PagesInit extends FrameInit {
  readonly template?: Template | undefined;
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
  throw new TypeError(
    `options.template must return the HTML of the page ${name}, as text or made by the tag html, or undefined for the built-in page.`,
  );
};

/** A problem as a sentence. */
const problemIn = (code: PageProblemCode | undefined, language: Translator): { readonly problem?: string } =>
  code === undefined ? {} : { problem: language.text(code) };

const noticeIn = ({ done }: Done, language: Translator): { readonly notice?: Html } =>
  done === undefined ? {} : { notice: doneText(done, language) };

/** The logos in a view, besides that of the site. */
const logosIn = (view: PageView & { readonly logoUri?: string; readonly apps?: GrantsView['apps'] }) =>
  [view, ...(view.apps ?? [])].flatMap(({ logoUri }: { readonly logoUri?: string }) => logoUri ?? []);

const errorIn = (
  { status, code, init }: PageError,
  { start, explanation }: ErrorDetails,
  { language, view: { site } }: Frame,
): Omit<ErrorView, keyof PageView | 'page'> => {
  const home = { href: site.home, client: site.name };
  const { href, client } = init.back ?? (start === undefined ? home : { href: start, client: undefined });
  const [message = '', advice] = language.lines(code, { count: init.count ?? 0 });
  const back: PageLink = {
    href,
    text: client === undefined ? language.text('startAgain') : language.text('backTo', { name: client }),
  };
  return {
    status,
    code,
    message,
    back,
    ...(advice !== undefined && { advice }),
    ...(init.reference !== undefined && { reference: init.reference }),
    ...(explanation !== undefined && { explanation }),
  };
};

/** The script of the built-in sign-in page. */
const SCRIPT = hashSource(SHOW_PASSWORD);

/** The pages for one request. */
class RequestPages implements PageRenderers {
  readonly #frame: Frame;
  readonly #template: Template | undefined;

  constructor(frame: Frame, template: Template | undefined) {
    this.#frame = frame;
    this.#template = template;
  }

  get locale(): string {
    return this.#frame.language.locale;
  }

  login(given: ViewFields<LoginView, 'links'>): Promise<Page> {
    const { language, accountLinks: links } = this.#frame;
    return this.#render('login', { ...given, links, ...problemIn(given.problemCode, language) });
  }

  consent(given: ViewFields<ConsentView>): Promise<Page> {
    return this.#render('consent', given);
  }

  deviceCode(given: ViewFields<DeviceCodeView>): Promise<Page> {
    return this.#render('deviceCode', { ...given, ...problemIn(given.problemCode, this.#frame.language) });
  }

  deviceConsent(given: ViewFields<DeviceConsentView>): Promise<Page> {
    return this.#render('deviceConsent', given);
  }

  deviceDone(given: ViewFields<DeviceDoneView>): Promise<Page> {
    return this.#render('deviceDone', given);
  }

  grants(given: ViewFields<GrantsView, 'notice'> & Done): Promise<Page> {
    return this.#render('grants', { ...given, ...noticeIn(given, this.#frame.language) });
  }

  tokens(given: ViewFields<TokensView, 'notice'> & Done): Promise<Page> {
    const { language } = this.#frame;
    return this.#render('tokens', {
      ...given,
      ...noticeIn(given, language),
      ...problemIn(given.problemCode, language),
    });
  }

  confirm({
    ending,
    ...given
  }: Pick<ConfirmView, 'action' | 'hidden' | 'cancelPath'> & { readonly ending: Ending }): Promise<Page> {
    return this.#render('confirm', { ...given, ...confirmationOf(ending, this.#frame.language) });
  }

  error(error: PageError, details: ErrorDetails): Promise<Page> {
    return this.#render('error', errorIn(error, details, this.#frame));
  }

  address(path: string): string {
    return this.#frame.address(path);
  }

  for(request: HttpRequest, uiLocales?: string): PageRenderers {
    return new RequestPages(this.#frame.for(request, uiLocales), this.#template);
  }

  async #render<Name extends View['page']>(
    page: Name,
    rest: Omit<ViewOf<Name>, keyof PageView | 'page'>,
  ): Promise<Page> {
    const frame = this.#frame;
    // The compiler cannot infer that frame and data are a view.
    const view = { ...rest, ...frame.view, page } as ViewOf<Name>;
    const own = await this.#template?.(view);
    const {
      html,
      styleSources = [],
      imageSources = [],
    } = toPage(page, own ?? BUILT_IN_PAGES[page](view, frame.language));
    const framed = frame.page(html, logosIn(view));
    return {
      ...framed,
      // A hash would disable 'unsafe-inline'.
      styleSources: styleSources.includes("'unsafe-inline'") ? styleSources : [...framed.styleSources, ...styleSources],
      imageSources: [...framed.imageSources, ...imageSources],
      scriptSources: own === undefined && page === 'login' ? [SCRIPT] : [],
    };
  }
}

/** The pages of a server, in its default language until a request selects another. */
export const createPages = (frame: Frame, template?: Template): PageRenderers => new RequestPages(frame, template);
