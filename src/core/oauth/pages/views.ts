import type { Html } from '../../base/html.js';
import type { MaybePromise } from '../../base/ports.js';
import type { ClientLinks } from '../clients/client.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import type { AccentColors } from '../../base/pages/style.js';

/** A hidden field that a form must send back. */
export type HiddenFields = Readonly<Record<string, string>>;

/** A scope as a page shows it. */
export interface ScopeView {
  /** The name in requests, such as `photos.read`. */
  readonly name: string;
  /** Its description in `options.scopes`. */
  readonly description: string;
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
  /** The other `branding.links`, with their names in the language of the page. */
  readonly links: readonly {
    /** The target of the link. */
    readonly href: string;
    /** The text of the link. */
    readonly text: string;
  }[];
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

/** The data of a page with a form. */
interface FormView extends PageView {
  /** The URL to which the form posts. */
  readonly action: string;
  /** Fields to send back unchanged, by name: they bind the form to its session. */
  readonly hidden: HiddenFields;
}

/** Fields `username` and `password`; with `continueAs`, also a button `decision` with the value `continue`. */
export interface LoginView extends FormView {
  /** The client that the owner signs in for; absent on the pages for devices and connected applications. */
  readonly clientId?: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName?: string;
  /** The name from the previous attempt; at first empty, or as the client expects it. */
  readonly username: string;
  /** The signed-in user, who may continue or use another account, because the client lets them choose. */
  readonly continueAs?: string;
  /** The problem of the previous attempt. */
  readonly problemCode?: PageProblemCode;
  /** The problem as a sentence. */
  readonly problem?: string;
}

/** The data of a page with a sign-out button. */
export interface SignOutView {
  /** Whether the built-in sign-in is used; otherwise, omit the button `sign_out`. */
  readonly canSignOut: boolean;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface ConsentView extends FormView, ClientLinks {
  /** The client that requests access. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** The signed-in user. */
  readonly username: string;
  /** The requested scopes. */
  readonly scopes: readonly ScopeView[];
  /** The host of the redirect URI. */
  readonly redirectHost: string;
  /** Set for a client that has registered itself: its name is its own claim, and only `redirectHost` is verified. */
  readonly selfNamed?: boolean;
  /**
   * The host of the client's document. Only this host is verified: name and URLs are the document's own claims.
   * Absent for clients without a document.
   */
  readonly clientHost?: string;
  /** Set for a client with a document if the response goes to a loopback address: any program on the owner's computer could use the client's name. */
  readonly toLoopback?: boolean;
  /** Whether the built-in sign-in is used; otherwise, omit the button `decision` with the value `switch`. */
  readonly canSwitch: boolean;
  /** The page on which owners can revoke this access; absent if the store cannot list grants. */
  readonly grantsPath?: string;
}

/** Field `user_code`; a button `decision` with the value `sign_out`. */
export interface DeviceCodeView extends FormView, SignOutView {
  /** The code from the previous attempt or from the URL; empty at first. */
  readonly userCode: string;
  /** The signed-in user. */
  readonly username: string;
  /** The problem of the previous attempt. */
  readonly problemCode?: PageProblemCode;
  /** The problem as a sentence. */
  readonly problem?: string;
}

/** Buttons `decision` with the values `approve`, `deny` and `sign_out`. */
export interface DeviceConsentView extends FormView, SignOutView, ClientLinks {
  /** The client that runs on the device. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** The signed-in user. */
  readonly username: string;
  /** The requested scopes. */
  readonly scopes: readonly ScopeView[];
  /** The code that the owner typed; the device shows it too (RFC 8628 §5.4). */
  readonly userCode: string;
  /** The first eight hex digits of the SHA-256 of the device code; the device can show the same. */
  readonly fingerprint: string;
  /** The page on which owners can revoke this access; absent if the store cannot list grants. */
  readonly grantsPath?: string;
}

/** The page after a decision about a device; a button `decision` with the value `sign_out`. */
export interface DeviceDoneView extends FormView, SignOutView {
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

/** An application with access to an owner's account. Times are in seconds since the epoch. */
export interface ConnectedAppView {
  /** The value of its button `disconnect`. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** The scopes it has. */
  readonly scopes: readonly ScopeView[];
  /** The time of its oldest grant that is still valid. */
  readonly created?: number;
  /** The time of its latest grant or refresh, to the hour. */
  readonly lastUsed?: number;
}

/** A button `disconnect` with the `clientId` for each application; buttons `decision` with `disconnect_all` and `sign_out`. */
export interface GrantsView extends FormView, SignOutView {
  /** The signed-in user. */
  readonly username: string;
  /** The applications, sorted by name. */
  readonly apps: readonly ConnectedAppView[];
}

/** An error that is shown to the owner, because there is no safe URI to redirect it to. */
export interface ErrorView extends PageView {
  /** The HTTP status code of the page. */
  readonly status: number;
  /** The error code, such as `form_expired`. */
  readonly code: PageProblemCode;
  /** The error in one or two sentences. */
  readonly message: string;
  /** A link to the first step, the client, or the home page. */
  readonly back: {
    /** The target of the link. */
    readonly href: string;
    /** The text of the link. */
    readonly text: string;
  };
  /** The reference in the event `authorization.refused`, such as `7F3K-2M9Q`. Absent if nothing receives events. */
  readonly reference?: string;
  /** The details for developers of the client. Only present without an `issuer`, or with one on loopback. */
  readonly explanation?: string;
}

/** Renderers: each receives plain data and returns a complete HTML document. Use the tag `html`, which escapes the data. */
export interface Templates {
  /** Signs the owner in. */
  login(view: LoginView): MaybePromise<RenderedPage>;
  /** Asks the owner to allow or deny a client's request. */
  consent(view: ConsentView): MaybePromise<RenderedPage>;
  /** Asks for the user code of a device. */
  deviceCode(view: DeviceCodeView): MaybePromise<RenderedPage>;
  /** Asks the owner to allow or deny a device's request. */
  deviceConsent(view: DeviceConsentView): MaybePromise<RenderedPage>;
  /** Confirms the decision about a device. */
  deviceDone(view: DeviceDoneView): MaybePromise<RenderedPage>;
  /** Lists the applications with access to the owner's account. */
  grants(view: GrantsView): MaybePromise<RenderedPage>;
  /** Shows an error. */
  error(view: ErrorView): MaybePromise<RenderedPage>;
}

/** An HTML document, optionally with further sources for its content security policy. */
export type RenderedPage =
  | Html
  | string
  | {
      /** The complete document. */
      readonly html: Html | string;
      /** Sources for `style-src`, such as `'self'` with its quotes, in addition to the hash of the style sheet of `pageLayout`. */
      readonly styleSources?: readonly string[];
      /** Sources for `img-src`, such as `https://cdn.example`, in addition to those of the logos in the view. */
      readonly imageSources?: readonly string[];
    };
