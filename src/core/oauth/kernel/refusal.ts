import { isPublicIssuer } from '../../base/addresses/loopback.js';
import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import type { Client } from '../clients/client.js';
import type { RefusalReason } from '../events/events.js';
import { PageError, pageErrorOf, type PageErrorInit, type WayBack } from '../pages/page-error.js';
import { formatUserCode } from '../records/user-code.js';
import type { OAuthContext } from './context.js';

/** The operator's view of a rejected authorization request. */
interface Refusal {
  readonly reason: RefusalReason;
  /** The rejected value. */
  readonly value?: string;
  /** The client, if it is registered. */
  readonly client_id?: string;
  /** The problem in an operator's terms, if the error's own message is meant for users. */
  readonly explanation?: string;
}

/** An error that is sent to the client, with its reason. */
export class RefusedRequest extends OAuthError {
  readonly refusal: Refusal;

  /** @param refusal - Its reason is the code if absent. */
  constructor(code: OAuthErrorCode & RefusalReason, description: string, refusal?: Partial<Refusal>);
  constructor(code: OAuthErrorCode, description: string, refusal: Refusal);
  constructor(code: OAuthErrorCode, description: string, refusal: Partial<Refusal> = {}) {
    super(code, description);
    this.refusal = { reason: code as RefusalReason, ...refusal }; // It is one, if the refusal has none.
  }
}

/** An error that is shown to the user, with its reason. */
export class RefusedPage extends PageError {
  readonly refusal: Refusal;

  /** @param refusal - Its reason is the code if absent. */
  constructor(code: PageProblemCode & RefusalReason, refusal: Partial<Refusal>, init?: PageErrorInit);
  constructor(code: PageProblemCode, refusal: Refusal, init?: PageErrorInit);
  constructor(code: PageProblemCode, refusal: Partial<Refusal>, init: PageErrorInit = {}) {
    super(code, { explanation: refusal.explanation, ...init });
    this.refusal = { reason: code as RefusalReason, ...refusal }; // As above.
  }
}

const MAX_PRINTED_LENGTH = 200;

/** Makes client input safe for logs and pages. */
export const printable = (text: string): string => {
  const plain = text.slice(0, MAX_PRINTED_LENGTH).replace(/[^\x20-\x7e]/g, '?');
  return text.length > MAX_PRINTED_LENGTH ? `${plain}…` : plain;
};

/** Without an issuer, or with one on loopback, the server runs on a developer's own machine. */
export const isDevelopment = ({ issuer }: { readonly issuer: string | undefined }): boolean => !isPublicIssuer(issuer);

const refusalOf = (error: OAuthError | PageError): Refusal => {
  if (error instanceof RefusedRequest || error instanceof RefusedPage) return error.refusal;
  return { reason: error.status === 429 ? 'too_many_attempts' : 'invalid_request' };
};

const emitRefusal = (
  error: OAuthError | PageError,
  told: { readonly reference: string } | { readonly error: OAuthErrorCode },
  client_id: string | undefined,
  { emit }: OAuthContext,
): void => {
  const { reason, value, ...of } = refusalOf(error);
  const client = of.client_id ?? client_id;
  const explanation = error instanceof PageError ? error.init.explanation : undefined;
  emit?.({
    type: 'authorization.refused',
    reason,
    message: explanation ?? error.message,
    ...(value === undefined ? {} : { value: printable(value) }),
    ...(client === undefined ? {} : { client_id: client }),
    ...told,
  });
};

/** Reports an error that is sent to the client. @param code - As the client gets it. */
export const reportSent = (
  error: OAuthError | PageError,
  code: OAuthErrorCode,
  client_id: string,
  context: OAuthContext,
): void => emitRefusal(error, { error: code }, client_id, context);

/** Without characters that are easily confused. */
const REFERENCE_ALPHABET = '23456789BCDFGHJKMNPQRSTVWXYZ';

/** The way back to a client that has a page of its own. */
export const backTo = ({ name, links }: Client): WayBack | undefined =>
  links.clientUri === undefined ? undefined : { href: links.clientUri, client: name };

/** A refusal as its page shows it: with a reference that the event has too, if there are listeners. */
export const reportedPage = (
  error: OAuthError | PageError,
  client: Client | undefined,
  context: OAuthContext,
): PageError => {
  const reference = context.emit && formatUserCode(context.random.letters(8, REFERENCE_ALPHABET));
  if (reference !== undefined) emitRefusal(error, { reference }, client?.client_id, context);
  const { code, init } = error instanceof PageError ? error : pageErrorOf(error);
  return new PageError(code, { ...init, back: init.back ?? (client && backTo(client)), reference });
};
