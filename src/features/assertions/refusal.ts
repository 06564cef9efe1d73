import { type Call, OAuthError, UnavailableError } from '../../core/feature/index.js';

type Occurrence = Parameters<NonNullable<Call['emit']>>[0];
type AssertionRefusal = Extract<Occurrence, { readonly type: 'assertion.refused' }>['reason'];

/** An assertion that is refused, and why: the sentence is for the client. */
export class Refusal extends Error {
  readonly reason: AssertionRefusal;
  /** The issuer, if it is a trusted one. */
  issuer: string | undefined;
  readonly code: 'invalid_grant' | 'invalid_scope' | 'invalid_target' | 'unauthorized_client' | 'invalid_client';

  constructor(reason: AssertionRefusal, sentence: string, code: Refusal['code'] = 'invalid_grant') {
    super(sentence);
    this.reason = reason;
    this.code = code;
  }

  /** The same, of an issuer. */
  by(issuer: string | undefined): this {
    this.issuer = issuer;
    return this;
  }

  /** What the client gets. */
  get error(): Error {
    return new OAuthError(this.code, this.message);
  }
}

/** Nobody knows whether the assertion is right: keys, the store or a function of the application are away. */
class Unknown extends Refusal {
  readonly #failure: UnavailableError;

  constructor(failure: UnavailableError) {
    super('unavailable', failure.message);
    this.#failure = failure;
  }

  override get error(): Error {
    return this.#failure;
  }
}

/** What listeners are told of: errors of other requests, such as too many, have events of their own. */
export const refusalIn = (error: unknown): Refusal | undefined =>
  error instanceof UnavailableError ? new Unknown(error) : error instanceof Refusal ? error : undefined;

/** Names the issuer in a refusal. */
export const ofIssuer = async <T>(issuer: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw refusalIn(error)?.by(issuer) ?? error;
  }
};

/** Tells the listeners of a refusal. @returns it. */
export const tellRefusal = (refusal: Refusal, { emit }: Pick<Call, 'emit'>, client_id?: string): Refusal => {
  const { reason, issuer } = refusal;
  emit?.({
    type: 'assertion.refused',
    reason,
    ...(issuer !== undefined && { issuer }),
    ...(client_id !== undefined && { client_id }),
  });
  return refusal;
};

const GET_NEW = 'Get a new one from its issuer.';

/** Access was ended after an assertion was made. */
export const ended = (): Refusal => new Refusal('ended', `Access was ended after the assertion was made. ${GET_NEW}`);

/** It was used before. */
export const replayed = (): Refusal => new Refusal('replay', `The assertion was used before. ${GET_NEW}`);

/**
 * An assertion whose signature is not that of a trusted issuer. There is one sentence for all of these, so that strangers do not learn which issuers are
 * trusted.
 */
export const unproven = (reason: AssertionRefusal): Refusal =>
  new Refusal(
    reason,
    'The assertion is not a JWT that an issuer which this server trusts has signed with one of its keys.',
  );
