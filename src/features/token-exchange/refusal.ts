import { type Call, OAuthError } from '../../core/feature/index.js';

type Occurrence = Parameters<NonNullable<Call['emit']>>[0];
type Reason = Extract<Occurrence, { readonly type: 'exchange.refused' }>['reason'];

/** A request that is refused, and why: the sentence is for the client. */
export class Refusal extends Error {
  readonly reason: Reason;
  readonly error: OAuthError;

  constructor(
    reason: Reason,
    sentence: string,
    code: 'invalid_request' | 'invalid_scope' | 'invalid_target' | 'unauthorized_client' = 'invalid_request',
  ) {
    super(sentence);
    this.reason = reason;
    this.error = new OAuthError(code, sentence);
  }
}

/** There is one sentence for tokens that are unknown, that have ended, and that are not meant for the client: a thief learns nothing from it. */
export const notForClient = (reason: 'subject' | 'foreign'): Refusal =>
  new Refusal(reason, 'The subject_token is not a live access token that the client may exchange.');
