import { BOUND_TOKEN_RULES } from './bound-token.js';
import { checkCredentials, CREDENTIAL_RULES } from './credentials.js';
import type { Rules } from './finding.js';
import { checkKeys, KEY_RULES } from './keys.js';
import { checkMetadata, METADATA_RULES } from './metadata.js';
import { checkPages, PAGE_RULES } from './pages.js';
import { checkPrograms, PROGRAM_RULES } from './programs.js';
import { checkQuery, QUERY_RULES } from './query.js';
import type { Subject } from './subject.js';
import { checkToken, TOKEN_RULES } from './token.js';
import { checkTransport, TRANSPORT_RULES } from './transport.js';

/** All rules, in the order of the checks. */
export const DOCTOR_RULES: Rules<string> = {
  ...METADATA_RULES,
  ...TRANSPORT_RULES,
  ...TOKEN_RULES,
  ...PAGE_RULES,
  ...PROGRAM_RULES,
  ...KEY_RULES,
  ...QUERY_RULES,
  ...CREDENTIAL_RULES,
  ...BOUND_TOKEN_RULES,
};

/** Checks a server from the outside, one request after another, and records the findings. */
export const examine = async (subject: Subject): Promise<void> => {
  const found = await checkMetadata(subject);
  if (found === undefined) return;
  const { answer, discovered } = found;
  const { token_endpoint: token, jwks_uri: keys } = discovered.endpoints;
  checkTransport(subject, answer);
  // The other endpoints are on the same host.
  if (token !== undefined && !(await checkToken(subject, token, discovered.cors))) return;
  await checkPages(subject, discovered);
  await checkPrograms(subject, discovered);
  if (keys !== undefined) await checkKeys(subject, keys);
  await checkQuery(subject);
  await checkCredentials(subject, discovered);
};
