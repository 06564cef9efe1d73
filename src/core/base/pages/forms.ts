import { type Html, html } from '../html.js';
import type { Translator } from './languages/translator.js';
import type { PageContent } from './layout.js';

/** A hidden field that a form must send back. */
export type HiddenFields = Readonly<Record<string, string>>;

/** Hidden fields of a form. */
export const hiddenInputs = (fields: HiddenFields): readonly Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);

/** What is wrong with a form, above it; nothing without a problem. */
export const problemText = (problem: Html | string | undefined): Html | undefined =>
  problem === undefined ? undefined : html`<p class="problem" role="alert" id="problem">${problem}</p>\n`;

/** What the last form did. */
export const noticeText = (notice: Html | undefined): Html | undefined =>
  notice && html`<p class="notice" role="status">${notice}</p>\n`;

/** A question before something ends. */
export interface Confirmation {
  /** The title of the tab. */
  readonly title: string;
  /** The question, with names. */
  readonly question: Html;
  /** What happens then. */
  readonly explanation: string;
  /** The URL to which the form posts. */
  readonly action: string;
  /** Fields to send back unchanged, by name. */
  readonly hidden: HiddenFields;
  /** The text of the button. */
  readonly confirm: Html;
  /** The text of the link back. */
  readonly cancel: string;
  /** The page without the change. */
  readonly cancelPath: string;
}

/** The texts of a question: what it asks, what its button says, and what happens then. */
export interface QuestionTexts<Name> {
  /** The question. */
  readonly ask: Name;
  /** The button. */
  readonly press: Name;
  /** What happens then. */
  readonly explain: Name;
}

/** These texts in a language, filled in with values. */
export const questionIn = <Name extends string>(
  language: Translator<Name | 'cancel'>,
  { ask, press, explain }: QuestionTexts<Name>,
  values: Readonly<Record<string, string | number>>,
): Omit<Confirmation, 'action' | 'hidden' | 'cancelPath'> => ({
  title: language.text(ask, values),
  question: language.html(ask, values),
  explanation: language.text(explain),
  confirm: language.html(press, values),
  cancel: language.text('cancel'),
});

/** The page that asks it. No button has the focus. */
export const confirmContent = (asked: Confirmation): PageContent => ({
  title: asked.title,
  heading: asked.question,
  body: html`<p>${asked.explanation}</p>
<form method="post" action="${asked.action}">
${hiddenInputs(asked.hidden)}<div class="actions"><button class="danger">${asked.confirm}</button>
<a class="button" href="${asked.cancelPath}">${asked.cancel}</a></div>
</form>`,
});
