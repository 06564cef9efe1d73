import type { Html } from '../../base/html.js';
import type { Confirmation, HiddenFields } from '../../base/pages/forms.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import type { PageLink, PageView } from '../../base/pages/layout.js';
import type { MaybePromise } from '../../base/ports.js';
import type { ClientLinks } from '../clients/client.js';

/** A scope as a page shows it. */
export interface ScopeView {
  /** The name in requests, such as `photos.read`. */
  readonly name: string;
  /** Its description in `options.scopes`. */
  readonly description: string;
}

/** The data of a page with a form. */
export interface FormView extends PageView {
  /** The URL to which the form posts. */
  readonly action: string;
  /** Fields to send back unchanged, by name: they bind the form to its session. */
  readonly hidden: HiddenFields;
}

/** The data of a form that may be shown again. */
export interface ProblemView {
  /** The problem of the previous attempt. */
  readonly problemCode?: PageProblemCode;
  /** The problem as a sentence. */
  readonly problem?: string;
}

/** The account of the signed-in user. */
export interface AccountView {
  /** The user's name, or the `sub`. */
  readonly username: string;
  /** The e-mail address, if the application gives one that is not the name. */
  readonly email?: string;
}

/** What an owner is asked to allow. */
export interface RequestView extends FormView, AccountView, ClientLinks {
  /** The client that requests access. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** The requested scopes. */
  readonly scopes: readonly ScopeView[];
  /** The names of the resources that the access is for, or their URLs; none for the site itself. */
  readonly resources: readonly string[];
  /** The page on which owners can revoke this access; absent if the store cannot list grants. */
  readonly grantsPath?: string;
}

/** Fields `username` and `password`; with `continueAs`, also a button `decision` with the value `continue`. */
export interface LoginView extends FormView, ProblemView {
  /** Which page it is. */
  readonly page: 'login';
  /** The client that the owner signs in for; absent if the owner came without one, as to the connected applications. */
  readonly clientId?: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName?: string;
  /** The name from the previous attempt; at first empty, or as the client expects it. */
  readonly username: string;
  /** The signed-in user, who may continue or use another account, because the client lets them choose. */
  readonly continueAs?: string;
  /** Your pages for a forgotten password and a new account: `branding.links`. */
  readonly links: readonly PageLink[];
}

/** The data of a page with a sign-out button. */
export interface SignOutView {
  /** Whether the built-in sign-in is used; otherwise, omit the button `sign_out`. */
  readonly canSignOut: boolean;
}

/** Buttons `decision` with the values `approve` and `deny`. */
export interface ConsentView extends RequestView {
  /** Which page it is. */
  readonly page: 'consent';
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
}

/** An application with access to an owner's account. Times are in seconds since the epoch. */
export interface ConnectedAppView extends Pick<ClientLinks, 'logoUri'> {
  /** The value of its button `disconnect`. */
  readonly clientId: string;
  /** Its `client_name`, or its `client_id`. */
  readonly clientName: string;
  /** The scopes it has. */
  readonly scopes: readonly ScopeView[];
  /** The names of the resources that the access is for, or their URLs; none for the site itself. */
  readonly resources: readonly string[];
  /** The time of its oldest grant that is still valid. */
  readonly created?: number;
  /** The time of its latest grant or refresh, to the hour. */
  readonly lastUsed?: number;
  /** The hosts of the servers that connected it, in place of the owner. */
  readonly connectedBy?: readonly string[];
  /** With `connectedBy`: whether the owner connected it too. */
  readonly isAlsoOwn?: boolean;
}

/** A button `disconnect` with the `clientId` for each application; buttons `decision` with `disconnect_all` and `sign_out`. Each but the last leads to the page `confirm`. */
export interface GrantsView extends FormView, AccountView, SignOutView {
  /** Which page it is. */
  readonly page: 'grants';
  /** The applications, sorted by name. */
  readonly apps: readonly ConnectedAppView[];
  /** What the last form did. */
  readonly notice?: Html;
  /** Links to the other pages of the account. */
  readonly accountPages: readonly PageLink[];
}

/** A question before access ends: a form with the `hidden` fields. */
export interface ConfirmView extends PageView, Confirmation {
  /** Which page it is. */
  readonly page: 'confirm';
}

/** An error that is shown to the owner, because there is no safe URI to redirect it to. */
export interface ErrorView extends PageView {
  /** Which page it is. */
  readonly page: 'error';
  /** The HTTP status code of the page. */
  readonly status: number;
  /** The error code, such as `form_expired`. */
  readonly code: PageProblemCode;
  /** The error in a sentence. */
  readonly message: string;
  /** What to do about it, if the error has advice. */
  readonly advice?: string;
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

/** The data of a page that several capabilities show. */
export type SharedView = LoginView | ConsentView | GrantsView | ConfirmView | ErrorView;

/** The application's template, whose own type knows the views of all pages. */
export type AnyTemplate = (view: never) => MaybePromise<RenderedPage | undefined>;

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
