import { type Form, type FormFields, OAuthError } from '../../core/feature/index.js';

/** Parameters of OpenID Connect Core 1.0 §6 and §7.2.1 that this server does not support, and the error of each (§3.1.2.6). */
const CODES = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const;

export const UNSUPPORTED_PARAMETERS = {
  request: 'vschar',
  request_uri: 'vschar',
  registration: 'vschar',
} as const satisfies FormFields;

/** Ignored, they could ask for less than what the owner would then allow. @throws OAuthError */
export const refuseUnsupported = (form: Form): void => {
  for (const [name, code] of Object.entries(CODES))
    if (form.get(name) !== undefined) throw new OAuthError(code, `The parameter ${name} is not supported.`);
};
