import type { CustomGrant, GrantParameters } from '../oauth/kernel/custom-grant.js';
import { feature } from './feature.js';
import type { PlainFeature } from './types.js';

/**
 * A grant type of your own (RFC 6749 §4.5), as a feature. Clients use it if their `grant_types` include it.
 *
 * @param grant_type - An absolute URI.
 * @param grant - Its parameters, and the function that handles a request.
 * @example
 * oauthQuery({ features: [customGrant('urn:example:ticket', { parameters: { ticket: { required: true } }, handle })] });
 */
export const customGrant = <const Name extends string, const Parameters extends GrantParameters>(
  grant_type: Name,
  grant: CustomGrant<Parameters>,
): PlainFeature<Name> =>
  feature({
    // The same, unless the URI has characters that names of features cannot have.
    name: String(grant_type)
      .replace(/[^\w.:/-]/g, '_')
      .slice(0, 100) as Name,
    grantTypes: [grant_type],
    start: () => ({ grants: { [grant_type]: grant } }),
  });
