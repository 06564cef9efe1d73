import { escapeHtml, hiddenInputs, invalid, layout, problemText, scopeList } from './layout.js';
import type {
  ConsentView,
  DeviceCodeView,
  DeviceConsentView,
  DeviceDoneView,
  ErrorView,
  LoginView,
  Pages,
} from './views.js';

const login = (view: LoginView): string =>
  layout(
    'Sign in',
    `${view.clientName === undefined ? '' : `<p>Sign in to continue to <strong>${escapeHtml(view.clientName)}</strong>.</p>`}
${problemText(view.problem)}
<form method="post" action="${escapeHtml(view.action)}">
${hiddenInputs(view.hidden)}
<div><label for="username">User name</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${escapeHtml(view.username)}"${invalid(view.problem)}></div>
<div><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${view.problem === undefined ? '' : ' aria-invalid="true"'}></div>
<div class="actions"><button>Sign in</button></div>
</form>`,
  );

const consent = (view: ConsentView): string =>
  layout(
    `Allow ${escapeHtml(view.clientName)}?`,
    `<p>You are signed in as <strong>${escapeHtml(view.username)}</strong>. <strong>${escapeHtml(view.clientName)}</strong> would like to:</p>
${scopeList(view.scopes)}
<p class="soft">Your decision takes you to ${escapeHtml(view.redirectHost)}.</p>
<form method="post" action="${escapeHtml(view.action)}">
${hiddenInputs(view.hidden)}
<div class="actions">
<button name="decision" value="approve">Allow</button>
<button name="decision" value="deny" class="plain">Deny</button>
</div>
${view.canSwitch ? '<button name="decision" value="switch" class="link">Sign in as somebody else</button>' : ''}
</form>`,
  );

const deviceCode = (view: DeviceCodeView): string =>
  layout(
    'Connect a device',
    `<p>You are signed in as <strong>${escapeHtml(view.username)}</strong>. Type the code that your device shows.</p>
${problemText(view.problem)}
<form method="post" action="${escapeHtml(view.action)}">
${hiddenInputs(view.hidden)}
<div><label for="user_code">Code</label>
<input id="user_code" name="user_code" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required value="${escapeHtml(view.userCode)}"${invalid(view.problem)}></div>
<div class="actions"><button>Continue</button></div>
</form>`,
  );

const deviceConsent = (view: DeviceConsentView): string =>
  layout(
    `Allow ${escapeHtml(view.clientName)}?`,
    `<p>You are signed in as <strong>${escapeHtml(view.username)}</strong>. A device with <strong>${escapeHtml(view.clientName)}</strong> would like to:</p>
${scopeList(view.scopes)}
<dl>
<div><dt>Code on your device</dt><dd class="code">${escapeHtml(view.userCode)}</dd></div>
<div><dt>Fingerprint of your device, if it shows one</dt><dd class="code">${escapeHtml(view.fingerprint)}</dd></div>
</dl>
<p class="note"><strong>Only allow this if you see this code on a device in front of you.</strong> If somebody sent you the code, deny it: they would get access to your account.</p>
<form method="post" action="${escapeHtml(view.action)}">
${hiddenInputs(view.hidden)}
<div class="actions">
<button name="decision" value="approve">Allow</button>
<button name="decision" value="deny" class="plain">Deny</button>
</div>
</form>`,
  );

const deviceDone = (view: DeviceDoneView): string =>
  view.decision === 'approve'
    ? layout(
        'Device connected',
        `<p><strong>${escapeHtml(view.clientName)}</strong> is connected. You can close this page and go on with your device.</p>`,
        'good',
      )
    : layout(
        'Device refused',
        `<p><strong>${escapeHtml(view.clientName)}</strong> was not connected. You can close this page.</p>`,
      );

const error = (view: ErrorView): string => layout('This did not work', `<p>${escapeHtml(view.message)}</p>`, 'bad');

/** The built-in pages: plain HTML that works without JavaScript. */
export const BUILT_IN_PAGES: Pages = { login, consent, deviceCode, deviceConsent, deviceDone, error };
