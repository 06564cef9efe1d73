import { type Html, html, type HtmlDocument, htmlDocument } from '../html.js';
import { type AccentColors, applicationSheet, styleSheet } from './style.js';

/** A link to another page. */
export interface PageLink {
  /** The target of the link. */
  readonly href: string;
  /** The text of the link. */
  readonly text: string;
}

/** The site: the header and footer of each page. */
export interface SiteView {
  /** `branding.name`, or the host. */
  readonly name: string;
  /** The host of the issuer. Absent if it is not known: without an `issuer`, at an address that is not loopback. */
  readonly host?: string;
  /** `branding.logo`. */
  readonly logo?: string;
  /** The link of the name: `branding.links.home`. */
  readonly home: string;
  /** The `branding.links` of every page, with their names in the language of the page. */
  readonly links: readonly PageLink[];
  /** The colours derived from `branding.color`; absent for the default colours. */
  readonly accent?: AccentColors;
}

/** The data of every page, for `pageLayout`. */
export interface PageView {
  /** The language of the page, such as `de`, for `lang`. */
  readonly locale: string;
  /** The text direction, for `dir`. */
  readonly dir: 'ltr' | 'rtl';
  /** The site of the page. */
  readonly site: SiteView;
}

/** The content of a page. */
export interface PageContent {
  /** The title of the tab and, without a `heading`, of the page. */
  readonly title: string;
  /** The heading, if it contains names. */
  readonly heading?: Html;
  /** Content above the heading, such as the logo of a client. */
  readonly above?: Html | undefined;
  /** Content below it. */
  readonly body: Html;
  /** A mark for the outcome of a decision. */
  readonly end?: 'good' | 'bad';
  /** For tables and forms that need more than a column. */
  readonly isWide?: boolean;
}

/** Characters of a `data:` URL that each page can have twice. */
const MAX_ICON = 8192;

const icon = ({ logo }: SiteView): Html | undefined =>
  logo === undefined || (logo.startsWith('data:') && logo.length > MAX_ICON)
    ? undefined
    : html`<link rel="icon" href="${logo}">\n`;

/** A logo, or the first letter of the name in its place. Decorative, because the name follows. */
export const mark = (name: string, logo: string | undefined, isOther = false): Html =>
  logo === undefined
    ? html`<span class="mark${isOther ? ' other' : ''}" aria-hidden="true">${[...name.trim()][0]?.toUpperCase()}</span>`
    : html`<img src="${logo}" alt="">`;

const header = ({ name, host, logo, home }: SiteView, links?: Html): Html => html`<header>
${mark(name, logo)}
<div><a href="${home}"><bdi>${name}</bdi></a>${host === undefined || host === name ? undefined : html` <span><bdi dir="ltr">${host}</bdi></span>`}</div>
${links}</header>`;

const footer = ({ links }: SiteView): Html | undefined =>
  links.length === 0
    ? undefined
    : html`\n<footer>\n${links.map(({ href, text }) => html`<a href="${href}">${text}</a>\n`)}</footer>`;

/** The content of a page of the API: columns in place of a card. */
export interface ApplicationContent {
  /** The title of the tab. */
  readonly title: string;
  /** Links of the header. */
  readonly links: readonly (PageLink & { readonly isCurrent?: boolean })[];
  /** Rules in addition to those of all pages. */
  readonly style: string;
  /** Attributes of the body, each with a leading space. */
  readonly attributes?: Html;
  readonly body: Html;
}

/** A page of the API, in the frame of all pages. */
export const applicationLayout = (view: PageView, content: ApplicationContent): Html =>
  documentIn(view, {
    title: content.title,
    style: applicationSheet(view.site.accent, content.style),
    attributes: html` class="application"${content.attributes}`,
    body: html`${header(
      view.site,
      html`<nav aria-label="${content.title}">${content.links.map(
        ({ href, text, isCurrent }) =>
          html`<a href="${href}"${isCurrent === true ? html` aria-current="page"` : undefined}>${text}</a>\n`,
      )}</nav>\n`,
    )}
${content.body}${footer(view.site)}`,
  });

/** The frame of all pages around a document. */
const documentIn = (
  view: PageView,
  { title, style, attributes, body }: Pick<HtmlDocument, 'title' | 'style' | 'attributes' | 'body'>,
): Html =>
  htmlDocument({
    title: title === view.site.name ? title : `${title} · ${view.site.name}`,
    lang: view.locale,
    dir: view.dir,
    style,
    robots: 'noindex',
    head: icon(view.site),
    attributes,
    body,
  });

/**
 * A complete page: the frame of all pages with this content. The header has the site's name and host, the footer its links.
 *
 * @param view - The view that the template received.
 */
export const pageLayout = (view: PageView, { title, heading, above, body, end, isWide }: PageContent): Html =>
  documentIn(view, {
    title,
    style: styleSheet(view.site.accent),
    attributes: end === undefined ? (isWide === true ? html` class="wide"` : undefined) : html` class="${end}"`,
    body: html`${header(view.site)}
<main>
${above}<h1>${heading ?? title}</h1>
${body}
</main>${footer(view.site)}`,
  });
