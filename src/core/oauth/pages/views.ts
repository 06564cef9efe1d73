import type { Html } from '../../base/html.js';
import type { MaybePromise } from '../../base/ports.js';
import type { ClientLinks } from '../clients/client.js';
import type { PageProblemCode } from './languages/english.js';
import type { AccentColors } from './style.js';

/** A hidden field that a form must send back. */
export type HiddenFields = Readonly<Record<string, string>>;

/** A scope as a page shows it. */
export interface ScopeView {
  /** As it is asked for, such as `photos.read`. */
  readonly name: string;
  /** What it means to people: the text of `options.scopes`. */
  readonly description: string;
}

/** Where people are: what stands above and below each page. */
export interface SiteView {
  /** `branding.name`, or the host. */
  readonly name: string;
  /** The host of the issuer. Absent where it cannot be known: without an `issuer`, at an address that is not loopback. */
  readonly host?: string;
  /** `branding.logo`. */
  readonly logo?: string;
  /** Where the name leads: `branding.links.home`. */
  readonly home: string;
  /** The other `branding.links`, with their names in the language of the page. */
  readonly links: readonly {
    /** Where it leads. */
    readonly href: string;
    /** What it is called. */
    readonly text: string;
  }[];
  /** The colours made of `branding.color`; absent for those that come along. */
  readonly accent?: AccentColors;
}

/** What the frame of every page needs; `pageLayout` takes it. */
export interface PageView {
  /** The language of the page, such as `de`, for `lang`. */
  readonly locale: string;
  /** The direction in which it is read, for `dir`. */
  readonly dir: 'ltr' | 'rtl';
  /** Where people are. */
  readonly site: SiteView;
}

/** What every page with a form needs to send it to the right place. */
interface FormView extends PageView {
  /** Where the form posts to. */
  readonly action: string;
  /** Fields that must go back unchanged, by name: they bind the form to its session. */
  readonly hidden: HiddenFields;
}

/** Fields `username` and `password`. */
export interface LoginView extends FormView {
  /** The client on whose behalf the owner signs in; absent on the pages for devices and connected applications. */
  readonly clientId?: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName?: string;
  /** What was typed the last time; empty at first. */
  readonly username: string;
  /** What went wrong the last time. */
  readonly problemCode?: PageProblemCode;
  /** The same as a sentence. */
  readonly problem?: string;
}

/** What a page knows whose owner may sign out. */
export interface SignOutView {
  /** Whether the built-in sign-in is used, so that the button `sign_out` makes sense. */
  readonly canSignOut: boolean;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface ConsentView extends FormView, ClientLinks {
  /** The client that asks. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** Who is signed in. */
  readonly username: string;
  /** What the client asks for. */
  readonly scopes: readonly ScopeView[];
  /** Where the owner will be sent. */
  readonly redirectHost: string;
  /** Set for a client that has registered itself: its name is what it says, and only `redirectHost` is certain. */
  readonly selfNamed?: boolean;
  /**
   * The host of the document in which the client describes itself. Only this host is certain: name and addresses are what the document says.
   * Absent for a client of any other origin.
   */
  readonly clientHost?: string;
  /** Set for a client that has described itself when the decision goes to a loopback address: any program on the owner's computer can pretend to be it. */
  readonly toLoopback?: boolean;
  /** Whether the built-in sign-in is used, so that a button `decision` with the value `switch` makes sense. */
  readonly canSwitch: boolean;
  /** Where owners end what they allow here; absent where the store cannot list it. */
  readonly grantsPath?: string;
}

/** Field `user_code`; a button `decision` with the value `sign_out`. */
export interface DeviceCodeView extends FormView, SignOutView {
  /** What was typed the last time, or stood in the address; empty at first. */
  readonly userCode: string;
  /** Who is signed in. */
  readonly username: string;
  /** What went wrong the last time. */
  readonly problemCode?: PageProblemCode;
  /** The same as a sentence. */
  readonly problem?: string;
}

/** Buttons `decision` with the values `approve`, `deny` and `sign_out`. */
export interface DeviceConsentView extends FormView, SignOutView, ClientLinks {
  /** The client that runs on the device. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** Who is signed in. */
  readonly username: string;
  /** What the device asks for. */
  readonly scopes: readonly ScopeView[];
  /** The code that the owner typed; the device shows it too (RFC 8628 §5.4). */
  readonly userCode: string;
  /** The first eight hex digits of the SHA-256 of the device code; the device can show the same. */
  readonly fingerprint: string;
  /** Where owners end what they allow here; absent where the store cannot list it. */
  readonly grantsPath?: string;
}

/** What the owner is told after deciding about a device; a button `decision` with the value `sign_out`. */
export interface DeviceDoneView extends FormView, SignOutView {
  /** What they decided. */
  readonly decision: 'approve' | 'deny';
  /** The client that runs on the device. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** Where owners end what they allow here; absent where the store cannot list it. */
  readonly grantsPath?: string;
  /** Where the code of another device is typed. */
  readonly devicePath: string;
}

/** An application that an owner has let in. Times are in seconds since the epoch. */
export interface ConnectedAppView {
  /** The value of its button `disconnect`. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** What it may. */
  readonly scopes: readonly ScopeView[];
  /** When it was first allowed something that it still may. */
  readonly created?: number;
  /** When it was last allowed something or refreshed, to the hour. */
  readonly lastUsed?: number;
}

/** A button `disconnect` with the `clientId` for each application; buttons `decision` with `disconnect_all` and `sign_out`. */
export interface GrantsView extends FormView, SignOutView {
  /** Who is signed in. */
  readonly username: string;
  /** The applications, by their names. */
  readonly apps: readonly ConnectedAppView[];
}

/** An error that is shown to the owner, because there is no safe address to redirect it to. */
export interface ErrorView extends PageView {
  /** The HTTP status code of the page. */
  readonly status: number;
  /** What went wrong, such as `form_expired`. */
  readonly code: PageProblemCode;
  /** The same as one sentence or two for people. */
  readonly message: string;
  /** Where people can go from here: to the start of what they were doing, to the client, or home. */
  readonly back: {
    /** Where it leads. */
    readonly href: string;
    /** What it is called. */
    readonly text: string;
  };
  /** Names the event `authorization.refused` about it, such as `7F3K-2M9Q`. Absent where nobody hears events. */
  readonly reference?: string;
  /** What went wrong, for who writes the client. Only there without an `issuer`, and with one on loopback. */
  readonly explanation?: string;
}

/** Renderers: each gets plain data and answers with a whole HTML document, best made by the tag `html`, which escapes the data. */
export interface Templates {
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
  /** Shows which applications the owner has let in. */
  grants(view: GrantsView): MaybePromise<RenderedPage>;
  /** Says what is wrong with the request. */
  error(view: ErrorView): MaybePromise<RenderedPage>;
}

/** An HTML document, and the sources beside our own that its content security policy must allow, if it needs any. */
export type RenderedPage =
  | Html
  | string
  | {
      /** The whole document. */
      readonly html: Html | string;
      /** Sources for `style-src`, such as `'self'` with its quotes, beside the hash of the sheet of `pageLayout`. */
      readonly styleSources?: readonly string[];
      /** Sources for `img-src`, such as `https://cdn.example`, beside those of the logos in the view. */
      readonly imageSources?: readonly string[];
    };
