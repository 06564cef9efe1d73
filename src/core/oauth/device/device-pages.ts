import { type Html, html } from '../../base/html.js';
import { hiddenInputs, problemText } from '../../base/pages/forms.js';
import type { Translator } from '../../base/pages/languages/translator.js';
import { pageLayout } from '../../base/pages/layout.js';
import type { BuiltInPage } from '../pages/built-in-pages.js';
import {
  account,
  changeLater,
  clientLinks,
  decisionButtons,
  pair,
  request,
  signOutButton,
  strong,
} from '../pages/layout.js';
import type { AccountView, FormView, ProblemView, RequestView, SignOutView } from '../pages/views.js';

/** Field `user_code`; a button `decision` with the value `sign_out`. */
interface DeviceCodeView extends FormView, AccountView, ProblemView, SignOutView {
  /** Which page it is. */
  readonly page: 'deviceCode';
  /** The code from the previous attempt or from the URL; empty at first. */
  readonly userCode: string;
  /** The form of a code, such as `XXXX-XXXX`. Hyphens and small letters make no difference. */
  readonly example: string;
}

/** Buttons `decision` with the values `approve`, `deny` and `sign_out`. */
interface DeviceConsentView extends RequestView, SignOutView {
  /** Which page it is. */
  readonly page: 'deviceConsent';
  /** The code that the owner typed; the device shows it too (RFC 8628 §5.4). */
  readonly userCode: string;
  /** The first eight hex digits of the SHA-256 of the device code; the device can show the same. */
  readonly fingerprint: string;
}

/** The page after a decision about a device; a button `decision` with the value `sign_out`. */
interface DeviceDoneView extends FormView, SignOutView {
  /** Which page it is. */
  readonly page: 'deviceDone';
  /** The decision of the owner. */
  readonly decision: 'approve' | 'deny';
  /** The client that runs on the device. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** The page on which owners can revoke this access; absent if the store cannot list grants. */
  readonly grantsPath?: string;
  /** The page for the code of another device. */
  readonly devicePath: string;
}

/** The data of a page of the device flow. */
export type DeviceView = DeviceCodeView | DeviceConsentView | DeviceDoneView;

/** The form of a button that signs out, where Enter in a field must not press it. */
const signOutForm = (view: DeviceCodeView | DeviceDoneView, id: string): Html | undefined =>
  view.canSignOut
    ? html`<form method="post" action="${view.action}" id="${id}" hidden>\n${hiddenInputs(view.hidden)}</form>`
    : undefined;

const deviceCode = (view: DeviceCodeView, language: Translator): Html =>
  pageLayout(view, {
    title: language.text('connectDevice'),
    body: html`${account(view, language, signOutButton(view, 'switchAccount', 'other', language))}<p>${language.text('enterCode')}</p>
${problemText(view.problem)}
<form method="post" action="${view.action}">
${hiddenInputs(view.hidden)}<div><label for="user_code">${language.text('code')}</label>
<input id="user_code" name="user_code" class="code" dir="ltr" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus placeholder="${view.example}" value="${view.userCode}" aria-describedby="hint${view.problem === undefined ? undefined : ' problem'}"${view.problem === undefined ? undefined : html` aria-invalid="true"`}>
<p class="soft hint" id="hint">${language.text('codeHint')}</p></div>
<div class="actions"><button>${language.text('continue')}</button></div>
</form>
${signOutForm(view, 'other')}`,
  });

const deviceConsent = (view: DeviceConsentView, language: Translator): Html =>
  pageLayout(view, {
    title: language.text('allowClient', { client: view.clientName }),
    heading: language.html('allowClient', { client: view.clientName }),
    above: pair(view),
    body: html`${account(view, language, signOutButton(view, 'switchAccount', 'decision', language))}${request(view, language)}
<dl>
<div><dt>${language.text('codeOnDevice')}</dt><dd class="code"><bdi dir="ltr">${view.userCode}</bdi></dd></div>
<div><dt>${language.text('fingerprint')}</dt><dd class="code"><bdi dir="ltr">${view.fingerprint}</bdi></dd></div>
</dl>
${clientLinks(view, language)}<p class="note"><strong>${language.text('yourDeviceOnly')}</strong> ${language.text('codeWasSent')}</p>
<form method="post" action="${view.action}" id="decision">
${hiddenInputs(view.hidden)}${decisionButtons(language)}
</form>${changeLater(view.grantsPath, language)}`,
  });

const deviceDone = (view: DeviceDoneView, language: Translator): Html => {
  const isApproved = view.decision === 'approve';
  const client = strong(view.clientName);
  return pageLayout(view, {
    title: language.text(isApproved ? 'deviceConnected' : 'deviceNotConnected'),
    body: html`<p>${language.html(isApproved ? 'clientConnected' : 'clientNotConnected', { client })}</p>${isApproved ? changeLater(view.grantsPath, language) : undefined}
<p class="links"><a href="${view.devicePath}">${language.text('connectAnother')}</a>
${signOutButton(view, 'signOut', 'other', language)}</p>${signOutForm(view, 'other')}`,
    ...(isApproved && { end: 'good' }),
  });
};

export const DEVICE_CODE_PAGE: BuiltInPage<DeviceCodeView> = { page: 'deviceCode', html: deviceCode };
export const DEVICE_CONSENT_PAGE: BuiltInPage<DeviceConsentView> = { page: 'deviceConsent', html: deviceConsent };
export const DEVICE_DONE_PAGE: BuiltInPage<DeviceDoneView> = { page: 'deviceDone', html: deviceDone };
