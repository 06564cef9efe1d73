import { createHash } from 'node:crypto';
import { defined } from '../defined.js';
import type { Html } from '../html.js';
import type { HttpRequest, HttpResponse } from '../http/messages.js';
import { type CheckedBranding, imageSource } from './branding.js';
import type { FeatureTexts, PageTextName } from './languages/english.js';
import type { Languages } from './languages/languages.js';
import { acceptedLanguage, askedLanguage, uiLocalesOf } from './languages/negotiation.js';
import type { Translator } from './languages/translator.js';
import {
  type ApplicationContent,
  applicationLayout,
  type PageContent,
  pageLayout,
  type PageView,
  type SiteView,
} from './layout.js';
import { type Page, pageResponse, type PageResponseInit } from './response.js';
import { applicationSheet, styleSheet } from './style.js';

/** The settings of all pages. */
interface FrameInit<More extends string = never> {
  readonly branding: CheckedBranding;
  readonly languages: Languages<More>;
  /** The host of the issuer; `undefined` if it is not known. */
  hostOf(request: HttpRequest): string | undefined;
}

const FOOTER = ['help', 'privacy', 'terms'] as const;

/** The source of a text for a content security policy. */
export const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

interface Init<More extends string> extends FrameInit<More> {
  readonly styleSource: string;
}

/** The frame, the brand and the language of the pages for one request. Many requests need no page, so nothing is computed before the first one. */
export class Frame<More extends string = never> {
  readonly #init: Init<More>;
  readonly #request: HttpRequest | undefined;
  readonly #uiLocales: string | undefined;
  #language: Translator<PageTextName | More> | undefined;

  /** @param uiLocales - From the form, if it is not in the query. */
  private constructor(init: Init<More>, request?: HttpRequest, uiLocales?: string) {
    this.#init = init;
    this.#request = request;
    this.#uiLocales = uiLocales;
  }

  /** The frame in the default language, until a request selects another. */
  static of(init: FrameInit): Frame {
    return new Frame({ ...init, styleSource: hashSource(styleSheet(init.branding.color)) });
  }

  /** The frame for another request. */
  for(request: HttpRequest, uiLocales?: string): Frame<More> {
    return new Frame(this.#init, request, uiLocales);
  }

  /**
   * The frame of a feature with texts of its own, in the languages that have them.
   *
   * @param feature - The name under which languages have its texts.
   * @param inEnglish - Its English texts.
   * @throws TypeError if the texts of a language do not match them.
   */
  with<Texts extends FeatureTexts>(feature: string, inEnglish: Texts): Frame<Extract<keyof Texts, string>> {
    return new Frame({ ...this.#init, languages: this.#init.languages.with(feature, inEnglish) });
  }

  /** That of `ui_locales`, of `Accept-Language`, or the default. */
  get language(): Translator<PageTextName | More> {
    const { languages } = this.#init;
    const accepted = (): string | undefined => this.#request && acceptedLanguage(this.#request, languages.offered);
    return (this.#language ??= languages.get(this.asked ?? accepted()));
  }

  /** That of `ui_locales`, if it is offered. */
  get asked(): string | undefined {
    const { languages } = this.#init;
    return askedLanguage(this.#uiLocales ?? uiLocalesOf(this.#request?.query ?? ''), languages.offered);
  }

  /** The URL of a page, in the language that the request selected by `ui_locales`. */
  address(path: string): string {
    const asked = this.asked;
    if (asked === undefined) return path;
    return `${path}${path.includes('?') ? '&' : '?'}ui_locales=${encodeURIComponent(asked)}`;
  }

  get view(): PageView {
    const { language } = this;
    return { locale: language.locale, dir: language.dir, site: this.#site(language) };
  }

  /** Links of `branding` for the sign-in page. */
  get accountLinks(): SiteView['links'] {
    const { forgotPassword, createAccount } = this.#init.branding.links;
    return [
      ...(forgotPassword === undefined ? [] : [{ href: forgotPassword, text: this.language.text('forgotPassword') }]),
      ...(createAccount === undefined ? [] : [{ href: createAccount, text: this.language.text('createAccount') }]),
    ];
  }

  /** A page in this frame. @param scripts - Those that its content may have. */
  respond(content: PageContent, init?: PageResponseInit, scripts: readonly string[] = []): HttpResponse {
    const page = this.page(pageLayout(this.view, content));
    return pageResponse({ ...page, scriptSources: scripts.map(hashSource) }, init);
  }

  /** A page of the API in this frame, with a layout of its own. */
  application(content: ApplicationContent): Page {
    const page = this.page(applicationLayout(this.view, content));
    return { ...page, styleSources: [hashSource(applicationSheet(this.#init.branding.color, content.style))] };
  }

  /** A document with what its content security policy allows: our style sheet, the logo of the site, and other `logos`. */
  page(html: Html, logos: readonly string[] = []): Page {
    const { logo } = this.#init.branding;
    const pictures = logo === undefined ? logos : [logo, ...logos];
    return { html, styleSources: [this.#init.styleSource], imageSources: [...new Set(pictures.map(imageSource))] };
  }

  #site(language: Translator<PageTextName | More>): SiteView {
    const { branding, hostOf } = this.#init;
    const { name, logo, color, links } = branding;
    const host = this.#request && hostOf(this.#request);
    return {
      name: name ?? host ?? '',
      ...defined({ host, logo, accent: color }),
      home: links.home ?? '/',
      links: FOOTER.flatMap((link) => {
        const href = links[link];
        return href === undefined ? [] : [{ href, text: language.text(link) }];
      }),
    };
  }
}
