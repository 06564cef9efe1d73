import type { MaybePromise } from '../../ports.js';

/** A hidden field that a form must send back. */
export type HiddenFields = Readonly<Record<string, string>>;

export interface ScopeView {
  readonly name: string;
  readonly description: string;
}

/** What every page needs to send the form to the right place. */
interface FormView {
  /** Where the form posts to. */
  readonly action: string;
  readonly hidden: HiddenFields;
}

/** Fields `username` and `password`. */
export interface LoginView extends FormView {
  /** The client on whose behalf the owner signs in; absent on the device page. */
  readonly clientName?: string;
  readonly username: string;
  /** What went wrong the last time. */
  readonly problem?: string;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface ConsentView extends FormView {
  readonly clientName: string;
  readonly username: string;
  readonly scopes: readonly ScopeView[];
  /** Where the owner will be sent. */
  readonly redirectHost: string;
  /** Whether the built-in sign-in is used, so that a button `decision` with the value `switch` makes sense. */
  readonly canSwitch: boolean;
}

/** Field `user_code`. */
export interface DeviceCodeView extends FormView {
  readonly userCode: string;
  readonly username: string;
  readonly problem?: string;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface DeviceConsentView extends FormView {
  readonly clientName: string;
  readonly username: string;
  readonly scopes: readonly ScopeView[];
  readonly userCode: string;
  /** The first eight hex digits of the SHA-256 of the device code; the device can show the same. */
  readonly fingerprint: string;
}

export interface DeviceDoneView {
  readonly decision: 'approve' | 'deny';
  readonly clientName: string;
}

export interface ErrorView {
  readonly status: number;
  readonly message: string;
}

/** Renderers: each gets plain data, escapes it and answers with a whole HTML document. */
export interface Pages {
  login(view: LoginView): MaybePromise<RenderedPage>;
  consent(view: ConsentView): MaybePromise<RenderedPage>;
  deviceCode(view: DeviceCodeView): MaybePromise<RenderedPage>;
  deviceConsent(view: DeviceConsentView): MaybePromise<RenderedPage>;
  deviceDone(view: DeviceDoneView): MaybePromise<RenderedPage>;
  error(view: ErrorView): MaybePromise<RenderedPage>;
}

/** An HTML document, and the sources beside our own that its content security policy must allow, if it needs any. */
export type RenderedPage =
  | string
  | { readonly html: string; readonly styleSources?: readonly string[]; readonly imageSources?: readonly string[] };
