import { Html, html } from '../html.js';
import type { Translator } from './languages/translator.js';

/** Copies a text at the press of a button. Without it, or where a browser has no clipboard (plain http), a click selects the whole text. */
export const COPY_SCRIPT = `{
const button = document.getElementById('copy'), text = document.getElementById('copied-text');
button.hidden = !navigator.clipboard;
button.onclick = function () {
  navigator.clipboard.writeText(text.textContent).then(
    function () { button.nextElementSibling.firstChild.hidden = false; },
    function () { getSelection().selectAllChildren(text); }
  );
};
}`;

/** A secret that is shown once, with a button that copies it. One on a page, whose content security policy names {@link COPY_SCRIPT}. */
export const copyable = (
  secret: string,
  language: Translator,
): Html => html`<p class="code" id="copied-text" dir="ltr">${secret}</p>
<p class="copy"><button type="button" id="copy" class="plain" aria-describedby="copied-text" hidden>${language.text('copy')}</button> <span role="status"><span hidden>${language.text('copied')}</span></span></p>
<script>${Html.content(COPY_SCRIPT)}</script>
`;
