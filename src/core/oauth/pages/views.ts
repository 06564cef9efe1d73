import type { MaybePromise } from '../../ports.js';

/** A hidden field that a form must send back. */
export type HiddenFields = Readonly<Record<string, string>>;

/** A scope as a page shows it. */
export interface ScopeView {
  /** As it is asked for, such as `photos.read`. */
  readonly name: string;
  /** What it means to people: the text of `options.scopes`. */
  readonly description: string;
}

/** What every page needs to send the form to the right place. */
interface FormView {
  /** Where the form posts to. */
  readonly action: string;
  /** Fields that must go back unchanged, by name: they bind the form to its session. */
  readonly hidden: HiddenFields;
}

/** Fields `username` and `password`. */
export interface LoginView extends FormView {
  /** The client on whose behalf the owner signs in; absent on the device page. */
  readonly clientName?: string;
  /** What was typed the last time; empty at first. */
  readonly username: string;
  /** What went wrong the last time. */
  readonly problem?: string;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface ConsentView extends FormView {
  /** The client that asks: its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** Who is signed in. */
  readonly username: string;
  /** What the client asks for. */
  readonly scopes: readonly ScopeView[];
  /** Where the owner will be sent. */
  readonly redirectHost: string;
  /** Whether the built-in sign-in is used, so that a button `decision` with the value `switch` makes sense. */
  readonly canSwitch: boolean;
}

/** Field `user_code`. */
export interface DeviceCodeView extends FormView {
  /** What was typed the last time, or stood in the address; empty at first. */
  readonly userCode: string;
  /** Who is signed in. */
  readonly username: string;
  /** What went wrong the last time. */
  readonly problem?: string;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface DeviceConsentView extends FormView {
  /** The client that runs on the device: its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** Who is signed in. */
  readonly username: string;
  /** What the device asks for. */
  readonly scopes: readonly ScopeView[];
  /** The code that the owner typed; the device shows it too (RFC 8628 §5.4). */
  readonly userCode: string;
  /** The first eight hex digits of the SHA-256 of the device code; the device can show the same. */
  readonly fingerprint: string;
}

/** What the owner is told after deciding about a device. */
export interface DeviceDoneView {
  /** What they decided. */
  readonly decision: 'approve' | 'deny';
  /** The client that runs on the device. */
  readonly clientName: string;
}

/** An error that is shown to the owner, because there is no safe address to redirect it to. */
export interface ErrorView {
  /** The HTTP status code of the page. */
  readonly status: number;
  /** What went wrong, as one sentence for people. */
  readonly message: string;
}

/** Renderers: each gets plain data, escapes it and answers with a whole HTML document. */
export interface Pages {
  /** Signs the owner in. */
  login(view: LoginView): MaybePromise<RenderedPage>;
  /** Asks the owner whether a client may have what it asks for. */
  consent(view: ConsentView): MaybePromise<RenderedPage>;
  /** Takes the user code that a device shows. */
  deviceCode(view: DeviceCodeView): MaybePromise<RenderedPage>;
  /** Asks the owner whether a device may have what it asks for. */
  deviceConsent(view: DeviceConsentView): MaybePromise<RenderedPage>;
  /** Says that the device has its answer. */
  deviceDone(view: DeviceDoneView): MaybePromise<RenderedPage>;
  /** Says what is wrong with the request. */
  error(view: ErrorView): MaybePromise<RenderedPage>;
}

/** An HTML document, and the sources beside our own that its content security policy must allow, if it needs any. */
export type RenderedPage =
  | string
  | {
      /** The whole document. */
      readonly html: string;
      /** Sources for `style-src`, such as `'self'` with its quotes, beside the hash of the built-in sheet. */
      readonly styleSources?: readonly string[];
      /** Sources for `img-src`, such as `https://cdn.example`; none if absent. */
      readonly imageSources?: readonly string[];
    };
