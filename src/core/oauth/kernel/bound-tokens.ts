import { defined } from '../../base/defined.js';
import { OAuthError } from '../../base/errors.js';
import type { HttpRequest } from '../../base/http/messages.js';
import type { ProofChecker, ProofError, ProvenKey } from '../../base/key-proofs.js';
import { provenAtEndpoint } from '../../base/possession.js';
import type { EnforcedRules } from '../../base/rules.js';
import type { Parts } from '../../feature/parts.js';
import type { Client } from '../clients/client.js';
import type { Emit } from '../events/events.js';

/** A SHA-256 thumbprint as base64url. */
const THUMBPRINT = /^[\w-]{43}$/;

/** What tokens that are bound to keys change in requests: the parameter of RFC 9449 §10, and the metadata of §5.1. */
export const boundTokenParts = ({ algorithms, required }: ProofChecker): Parts => ({
  authorization: {
    parameters: { dpop_jkt: 'vschar' },
    readRequest: ({ form, client, response_type }) => {
      const dpop_jkt = form.get('dpop_jkt');
      if (response_type === 'token' && (required || client.boundTokens))
        throw new OAuthError(
          'unauthorized_client',
          'The tokens of the client are bound to keys, so it must use a code.',
        );
      if (dpop_jkt === undefined) return {};
      if (!THUMBPRINT.test(dpop_jkt))
        throw new OAuthError('invalid_request', 'The dpop_jkt must be the SHA-256 thumbprint of a key, 43 characters.');
      return { kept: { dpop_jkt } };
    },
  },
  clients: {
    ownMetadata: (given) => (given['dpop_bound_access_tokens'] === true ? { dpop_bound_access_tokens: true } : {}),
  },
  metadata: () => ({ dpop_signing_alg_values_supported: algorithms }),
});

/** What checks that a request proves a key. */
export interface ProofServices {
  /** Checks proofs of keys, if tokens may be bound to keys. */
  readonly proofs: ProofChecker | undefined;
  issuer(request: HttpRequest): string;
}

/** Reports a rejected proof. */
export const tellProof =
  ({ emit }: { readonly emit: Emit | undefined }, client_id?: string) =>
  ({ reason, address }: ProofError): void =>
    emit?.({
      type: 'dpop.refused',
      reason,
      ...defined({ client_id, htu: address }),
    });

/** The key that a request to one of our endpoints proves; `undefined` without a proof. @param paths - Of the endpoint. */
export const provenKey = (
  request: HttpRequest,
  paths: readonly string[],
  context: ProofServices & { readonly emit: Emit | undefined },
): Promise<ProvenKey | undefined> => {
  const issuer = context.issuer(request);
  const addresses = paths.map((path) => issuer + path);
  return provenAtEndpoint(request, addresses, context.proofs, tellProof(context));
};

/** A new nonce also goes with an error (RFC 9449 §8.2). */
export const withNonce = (error: unknown, proven: ProvenKey | undefined): unknown => {
  if (proven === undefined || !(error instanceof OAuthError)) return error;
  const { code, message, status, headers } = error;
  return new OAuthError(code, message, { status, headers: { ...proven.headers, ...headers } });
};

/** Whether the client, or the server, only issues tokens that are bound to a key. */
export const needsProof = (client: Client, { proofs }: Pick<ProofServices, 'proofs'>): boolean =>
  proofs !== undefined && (proofs.required || client.boundTokens);

/** @throws OAuthError if a proof is needed and missing. */
export const checkProofIsThere = (
  proven: ProvenKey | undefined,
  client: Client,
  services: Pick<ProofServices, 'proofs'> & { readonly rules: EnforcedRules },
): void => {
  if (proven !== undefined || !needsProof(client, services)) return;
  // Where a rule binds all tokens, a request without a proof lacks a parameter; a proof that is there and wrong has an error of its own.
  const code = services.rules.boundTokens === undefined ? 'invalid_dpop_proof' : 'invalid_request';
  throw new OAuthError(code, 'Tokens of this client are bound to a key: send a DPoP proof.');
};
