import { isPublicIssuer } from '../../base/addresses/loopback.js';
import { defined } from '../../base/defined.js';
import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import type { PageProblemCode } from '../../base/pages/languages/english.js';
import { PageError, pageErrorOf, type PageErrorInit, type WayBack } from '../../base/pages/page-error.js';
import type { RandomSource } from '../../base/secrets.js';
import { inHalves } from '../../base/text.js';
import type { Client } from '../clients/client.js';
import type { Emit, RefusalReason } from '../events/events.js';
import { excerpt, RefusedRequest, type Refusal } from './refused-request.js';

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

/** Without an issuer, or with one on loopback, the server runs on a developer's own machine. */
export const isDevelopment = (issuer: string | undefined): boolean => !isPublicIssuer(issuer);

/** Tells the operator. */
interface Telling {
  readonly emit: Emit | undefined;
}

const refusalOf = (error: OAuthError | PageError): Refusal => {
  if (error instanceof RefusedRequest || error instanceof RefusedPage) return error.refusal;
  const value = error instanceof OAuthError ? error.value : undefined;
  return { reason: error.status === 429 ? 'too_many_attempts' : 'invalid_request', ...defined({ value }) };
};

const emitRefusal = (
  error: OAuthError | PageError,
  told: { readonly reference: string } | { readonly error: OAuthErrorCode },
  client_id: string | undefined,
  { emit }: Telling,
): void => {
  const { reason, value, ...of } = refusalOf(error);
  const explanation = error instanceof PageError ? error.init.explanation : undefined;
  emit?.({
    type: 'authorization.refused',
    reason,
    message: explanation ?? error.message,
    ...defined({ value: value === undefined ? undefined : excerpt(value), client_id: of.client_id ?? client_id }),
    ...told,
  });
};

/** Reports an error that is sent to the client. @param code - As the client gets it. */
export const reportSent = (
  error: OAuthError | PageError,
  code: OAuthErrorCode,
  client_id: string,
  telling: Telling,
): void => emitRefusal(error, { error: code }, client_id, telling);

/** Without characters that are easily confused. */
const REFERENCE_ALPHABET = '23456789BCDFGHJKMNPQRSTVWXYZ';

/** The way back to a client that has a page of its own. */
export const backTo = ({ name, links }: Client): WayBack | undefined =>
  links.clientUri === undefined ? undefined : { href: links.clientUri, client: name };

/** A refusal as its page shows it: with a reference that the event has too, if there are listeners. */
export const reportedPage = (
  error: OAuthError | PageError,
  client: Client | undefined,
  { emit, random }: Telling & { readonly random: RandomSource },
): PageError => {
  const reference = emit && inHalves(random.letters(8, REFERENCE_ALPHABET));
  if (reference !== undefined) emitRefusal(error, { reference }, client?.client_id, { emit });
  const { code, init } = error instanceof PageError ? error : pageErrorOf(error);
  return new PageError(code, { ...init, back: init.back ?? (client && backTo(client)), reference });
};
