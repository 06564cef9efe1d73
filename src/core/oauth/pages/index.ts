/**
 * For pages of your own: templates, their views, and HTML that escapes what is put into it.
 *
 * @module oauth-query/pages
 */

export { type Html, html, type HtmlPart } from '../../base/html.js';
export type { Branding } from '../../base/pages/branding.js';
export { styleSheet } from '../../base/pages/style.js';
export { type PageContent, pageLayout } from '../../base/pages/layout.js';
export type { ConfirmView, LoginView, Template, TokensView } from './views.js';
