import type { Html } from '../base/html.js';
import type { HttpResponse } from '../base/http/messages.js';
import type { Frame } from '../base/pages/frame.js';
import type { FeatureTexts, PageTextName } from '../base/pages/languages/english.js';
import type { MaybePromise } from '../base/ports.js';
import type { Owner } from '../oauth/records/owner.js';
import type { Call, Form, FormFields, OwnerSession } from './parts.js';

/** A signed-in owner on a page of a feature. */
export interface OwnerVisit<Texts extends FeatureTexts = FeatureTexts> extends Call {
  /** The owner. */
  readonly owner: Owner;
  /** The frame of the page, in the language of the request. */
  readonly frame: Frame<Extract<keyof Texts, string>>;
  /** The path of the page on its host, for links and forms. */
  readonly path: string;
  /** Hidden fields of every form that changes something. They bind it to this session and owner. */
  readonly hidden: Readonly<Record<string, string>>;
  /** The `Set-Cookie` of a page with such a form: without it, the form is refused. */
  readonly cookie: string;
  /** The account of the owner, with a button to sign out of the built-in sign-in. */
  readonly account: Html;
  /** Links to the other pages of the account, and to the front page of the site. */
  readonly links: Html;
  /** The session of this browser; absent with a sign-in of the application. */
  readonly session: OwnerSession | undefined;
  /**
   * Ends all other sessions of the owner, for every process, whatever lists say. If this session ends at the same moment, it stays ended.
   *
   * @returns this session as it goes on, and its `Set-Cookie`, which the answer must have.
   */
  readonly endOthers: () => Promise<{
    /** With another `lastSignOut`. */
    readonly session: OwnerSession | undefined;
    /** Replaces {@link OwnerVisit.cookie}. */
    readonly cookie: string;
  }>;
  /** A text that only this session of the owner can have, so that no link can make a page say what did not happen. */
  readonly proofOf: (what: readonly string[]) => string;
  /** Whether {@link OwnerVisit.proofOf} made it in this session. */
  readonly isProof: (proof: string, what: readonly string[]) => boolean;
}

/** A page for signed-in owners. Everyone else signs in first; forms of other sites, sessions and owners are refused. */
export interface OwnerRoute<Texts extends FeatureTexts = FeatureTexts> {
  /** Below the issuer. */
  readonly path: string | readonly string[];
  /** The texts of the page in English. Other languages have them in `features`, under the name of the feature. */
  readonly texts: Texts;
  /** The name of the text of a link, if other pages of the account shall link here. */
  readonly link?: Extract<keyof Texts, string> | PageTextName | undefined;
  /** The fields of its forms, beside `form_token`, `ui_locales`, `decision` and those of the sign-in. */
  readonly fields: FormFields;
  /** Answers GET. */
  readonly GET: (visit: OwnerVisit<Texts>) => MaybePromise<HttpResponse>;
  /** Answers the forms of the page. @param form - The fields. None of them has a problem. */
  readonly POST: (visit: OwnerVisit<Texts>, form: Form) => MaybePromise<HttpResponse>;
}
