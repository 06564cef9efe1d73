import type { ClientLinks, ClientOrigin, ClientRegistration } from './client.js';

const isSecure = (uri: string | undefined): uri is string => uri !== undefined && /^https:/i.test(uri);

/** A client that registers itself could link to a page that pretends to be another's, and show its picture. */
export const linksOf = (
  { logo_uri, client_uri, policy_uri, tos_uri }: ClientRegistration,
  origin: ClientOrigin = 'operator',
): ClientLinks => {
  if (origin !== 'operator') return {};
  return {
    ...(logo_uri !== undefined && { logoUri: logo_uri }),
    ...(isSecure(client_uri) && { clientUri: client_uri }),
    ...(isSecure(policy_uri) && { policyUri: policy_uri }),
    ...(isSecure(tos_uri) && { tosUri: tos_uri }),
  };
};
