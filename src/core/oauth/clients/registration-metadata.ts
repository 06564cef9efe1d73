import { OAuthError } from '../../base/errors.js';
import { isRecord } from '../../base/schema.js';
import { MetadataProblem, readClientMetadata, refuse, textOf } from './client-metadata.js';
import type { ClientMetadata, Registrations } from './registrations.js';

const read = (body: unknown, registrations: Registrations): ClientMetadata => {
  const given = isRecord(body) ? body : refuse('The request body must be a JSON object.');
  const { redirectSchemes: schemes, refreshes } = registrations;
  const stated = readClientMetadata(given, { schemes });
  const scope = registrations.knownScopes([...new Set(textOf(given, 'scope')?.split(' '))]).join(' ');
  // It becomes a public client, whatever it requested; but the value must be valid.
  textOf(given, 'token_endpoint_auth_method');
  return {
    ...stated,
    grant_types: refreshes ? stated.grant_types : ['authorization_code'],
    ...(scope !== '' && { scope }),
  };
};

/**
 * Reads the metadata that a client registers. Unsupported values are omitted, as RFC 7591 §2 allows; values that the client could not
 * work with, or that owners could not read, are rejected.
 *
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 §3.2.2).
 */
export const readRegistration = (body: unknown, registrations: Registrations): ClientMetadata => {
  try {
    return read(body, registrations);
  } catch (error) {
    if (!(error instanceof MetadataProblem)) throw error;
    const code = error.member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    throw new OAuthError(code, error.message);
  }
};
