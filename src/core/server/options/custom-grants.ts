import {
  type Entry,
  fail,
  flag,
  fn,
  isRecord,
  mapOf,
  object,
  refined,
  required,
  type Schema,
  value,
} from '../../base/schema.js';
import type { GrantPart } from '../../feature/parts.js';
import { GRANT_TYPES } from '../../oauth/clients/client.js';
import type { CustomGrant, GrantParameter } from '../../oauth/kernel/custom-grant.js';
import { TOKEN_PARAMETERS } from '../capabilities.js';

const grantParameter = { required: flag(false) } satisfies Schema<GrantParameter>;

const grantParameters = refined(
  mapOf(
    'an object of parameters, such as { subject_token: { required: true } }',
    object(grantParameter),
    /^[A-Za-z0-9._-]+$/,
    'is not a valid parameter name (RFC 6749 §8.2)',
  ),
  (parameters, at) => {
    const taken = Object.keys(parameters).find((name) => Object.hasOwn(TOKEN_PARAMETERS, name));
    return taken === undefined
      ? parameters
      : fail(`${at}.${taken}: the token endpoint already has a parameter with this name. Choose another one.`);
  },
);

const customGrant = object({
  parameters: grantParameters,
  handle: required(fn<CustomGrant['handle']>('a function of the request')),
} satisfies Schema<CustomGrant>);

const grantPart = object({
  fields: required(value<GrantPart['fields']>('an object of parameters and their kinds', isRecord)),
  decide: required(fn<GrantPart['decide']>('a function of the request')),
} satisfies Schema<GrantPart>);

/** A grant that decides about the whole request, or one as in `customGrant`. */
const grant = refined(
  value<CustomGrant | GrantPart>('an object with handle, or with decide', isRecord),
  (given, path) => ('decide' in given ? grantPart.read(given, path) : customGrant.read(given, path)),
);

/** The validation of the grants of a feature. */
export const CUSTOM_GRANTS: Entry<Readonly<Record<string, CustomGrant | GrantPart>>, unknown> = refined(
  mapOf(
    "an object of grants and their URIs, such as { 'urn:example:grant': { handle } }",
    grant,
    /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/,
    'is not an absolute URI, which names of custom grants must be (RFC 6749 §4.5)',
  ),
  (grants, at) => {
    const builtIn = GRANT_TYPES.find((name) => Object.hasOwn(grants, name));
    return builtIn === undefined ? grants : fail(`${at}: ${builtIn} is built in. Name it in options.grants.`);
  },
);
