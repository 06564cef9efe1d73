import type { OAuthEvent } from 'oauth-query';
import { expect, test } from 'vitest';
import { outcomeOf } from '../../../src/core/server/observer.js';

/** The compiler requires a row for each type of event. */
const OUTCOMES: Readonly<Record<OAuthEvent['type'], OAuthEvent['outcome']>> = {
  'token.issued': 'success',
  'token.refused': 'failure',
  'token.revoked': 'success',
  'grant.created': 'success',
  'grant.revoked': 'success',
  'replay.detected': 'failure',
  'dpop.refused': 'failure',
  'assertion.refused': 'failure',
  'exchange.refused': 'failure',
  'client.authentication_failed': 'failure',
  'client.tokens_ended': 'success',
  'client.changed': 'success',
  'client.registered': 'success',
  'client.document_fetched': 'success',
  'client.document_failed': 'failure',
  'client.document_changed': 'success',
  'owner.signed_in': 'success',
  'owner.signed_out': 'success',
  'owner.sign_in_failed': 'failure',
  'logout.failed': 'failure',
  'consent.decided': 'success',
  'authorization.refused': 'failure',
  'device.requested': 'success',
  'device.decided': 'success',
  'limit.reached': 'failure',
};

test('the last word of an event says whether something failed', () => {
  const types = Object.keys(OUTCOMES) as readonly OAuthEvent['type'][]; // The table has no others.
  expect(Object.fromEntries(types.map((type) => [type, outcomeOf(type)]))).toEqual(OUTCOMES);
});
