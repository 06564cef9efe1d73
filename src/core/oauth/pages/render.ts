import { defined } from '../../base/defined.js';
import { Html, html } from '../../base/html.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { type HiddenFields, hiddenInputs } from '../../base/pages/forms.js';
import type { Frame } from '../../base/pages/frame.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import type { PageLink, PageView } from '../../base/pages/layout.js';
import type { PageError } from '../../base/pages/page-error.js';
import type { Page } from '../../base/pages/response.js';
import { type BuiltInPage, ERROR_PAGE } from './built-in-pages.js';
import { questionOf, doneText, type Ending } from './endings.js';
import type { AnyTemplate, ErrorView, GrantsView, RenderedPage } from './views.js';

/** What is added here: the language, the site and the sentences. */
type Added = keyof PageView | keyof ReturnType<typeof questionOf> | 'page' | 'problem' | 'links' | 'notice';

/** What pages are made from, besides the fields of their views. */
interface Further {
  /** What the last form of the page ended. */
  readonly grants: { readonly done: Ending | undefined };
  /** What is asked about. */
  readonly confirm: { readonly ending: Ending };
}

type AnyView = PageView & { readonly page: string };

/** A view from an endpoint. */
type Given<View extends AnyView> = Omit<View, Added> &
  (View['page'] extends keyof Further ? Further[View['page']] : unknown);

/** Further content of an error page. */
interface ErrorDetails {
  /** The first page of the flow with the error. */
  readonly start?: string;
  readonly explanation?: string;
}

const toPage = (name: string, page: RenderedPage): Extract<RenderedPage, { html: unknown }> & { html: Html } => {
  const given = typeof page === 'string' || page instanceof Html ? { html: page } : page;
  // The application may be written in JavaScript.
  const document: unknown = given?.html;
  if (document instanceof Html) return { ...given, html: document };
  if (typeof document === 'string') return { ...given, html: Html.trusted(document) };
  throw new TypeError(
    `options.template must return the HTML of the page ${name}, as text or made by the tag html, or undefined for the built-in page.`,
  );
};

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
  return { status, code, message, back, ...defined({ advice, reference: init.reference, explanation }) };
};

/** Sends the form of a page. Without it, its button does. */
const SEND_SCRIPT = 'document.forms[0].submit();';

/** What sentences are made from, in any view. */
interface Asked {
  readonly problemCode?: PageProblemCode;
  readonly done?: Ending | undefined;
  readonly ending?: Ending;
}

/** The pages of this server for one request: the built-in ones, or the application's own. */
export class Pages {
  readonly #frame: Frame;
  readonly #template: AnyTemplate | undefined;

  constructor(frame: Frame, template?: AnyTemplate) {
    this.#frame = frame;
    this.#template = template;
  }

  get locale(): string {
    return this.#frame.language.locale;
  }

  show<View extends AnyView>(shown: BuiltInPage<View>, given: Given<View>): Promise<Page> {
    const { language, accountLinks: links } = this.#frame;
    const { problemCode, done, ending, ...fields } = given as Asked; // Each view has some of these members, or none.
    return this.#render(shown, {
      ...fields,
      ...(shown.page === 'login' && { links }),
      ...(problemCode !== undefined && { problemCode, problem: language.text(problemCode) }),
      ...(done !== undefined && { notice: doneText(done, language) }),
      ...(ending !== undefined && questionOf(ending, language)),
    } as Omit<View, keyof AnyView>); // What was given, and what was omitted from it.
  }

  error(error: PageError, details: ErrorDetails): Promise<Page> {
    return this.#render(ERROR_PAGE, errorIn(error, details, this.#frame));
  }

  /**
   * The response to a client that wants it in a form, which sends itself (OAuth 2.0 Form Post Response Mode).
   *
   * @param to - The host of the action, as users see it.
   */
  post(action: string, fields: HiddenFields, to: string): HttpResponse {
    const { language } = this.#frame;
    const heading = language.html('backTo', { name: to });
    const body = html`<form method="post" action="${action}">
${hiddenInputs(fields)}<div class="actions"><button>${language.text('continue')}</button></div>
</form>
<script>${Html.content(SEND_SCRIPT)}</script>`;
    return this.#frame.respond(
      { title: language.text('backTo', { name: to }), heading, body },
      { leadsToClient: true },
      [SEND_SCRIPT],
    );
  }

  /** The URL of a page, in the language that the request selected by `ui_locales`. */
  address(path: string): string {
    return this.#frame.address(path);
  }

  /**
   * The pages in the language of a request: that of `ui_locales`, of `Accept-Language`, or the default.
   *
   * @param uiLocales - From the form, if it is not in the query.
   */
  for(request: HttpRequest, uiLocales?: string): Pages {
    return new Pages(this.#frame.for(request, uiLocales), this.#template);
  }

  async #render<View extends AnyView>(
    { page, html: builtIn, scripts = [] }: BuiltInPage<View>,
    rest: Omit<View, keyof AnyView>,
  ): Promise<Page> {
    const frame = this.#frame;
    // The compiler cannot infer that frame and data are a view.
    const view = { ...rest, ...frame.view, page } as View;
    const own = await this.#template?.(view as never); // Its own type knows all views.
    const { html, styleSources = [], imageSources = [] } = toPage(page, own ?? builtIn(view, frame.language));
    const framed = frame.page(html, logosIn(view));
    return {
      ...framed,
      // A hash would disable 'unsafe-inline'.
      styleSources: styleSources.includes("'unsafe-inline'") ? styleSources : [...framed.styleSources, ...styleSources],
      imageSources: [...framed.imageSources, ...imageSources],
      scriptSources: own === undefined ? scripts : [],
    };
  }
}
