/**
 * For pages of your own: templates, their views, and HTML that escapes what is put into it. Pages of features also use the forms, questions and errors of the
 * built-in ones.
 *
 * @module oauth-query/pages
 */

export { type Html, html, type HtmlPart } from './base/html.js';
export type { Branding } from './base/pages/branding.js';
export { COPY_SCRIPT, copyable } from './base/pages/copy.js';
export { confirmContent, hiddenInputs, noticeText, problemText, questionIn } from './base/pages/forms.js';
export { styleSheet } from './base/pages/style.js';
export { type PageContent, pageLayout } from './base/pages/layout.js';
export { PageError } from './base/pages/page-error.js';
export type { ConfirmView, LoginView } from './oauth/pages/views.js';
export type { Template } from './server/options/server-options.js';
