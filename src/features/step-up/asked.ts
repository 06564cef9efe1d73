import {
  type FeatureClient,
  type Form,
  type FormFields,
  OAuthError,
  type ReadAuthorization,
} from '../../core/feature/index.js';

/** The parameters with which a client asks for a newer or stronger sign-in (RFC 9470 §4). */
export const STEP_UP_PARAMETERS = { max_age: 'vschar', acr_values: 'vschar' } as const satisfies FormFields;

const MAX_CLASSES = 20;
const MAX_CLASS = 256;

/** Seconds, however many digits they have. @throws OAuthError */
export const maxAgeOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw new OAuthError('invalid_request', 'The max_age must be a whole number of seconds.', { value: text });
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
};

/** Too many classes, or too long ones, are left out: a wish never makes a request fail. */
export const classesOf = (text: string | undefined): string | undefined => {
  const classes = text?.split(' ').filter((word) => word !== '') ?? [];
  const isBounded = classes.length <= MAX_CLASSES && classes.every((word) => word.length <= MAX_CLASS);
  return isBounded && classes.length > 0 ? classes.join(' ') : undefined;
};

/**
 * The sign-in that a request without OpenID Connect asks for, if it asks for one.
 *
 * @param now - Seconds since the epoch.
 * @throws OAuthError
 */
export const signInFor = (form: Form, { client_id }: FeatureClient, now: number): ReadAuthorization => {
  const max_age = form.get('max_age');
  const acr_values = classesOf(form.get('acr_values'));
  if (max_age === undefined && acr_values === undefined) return {};
  const maxAge = maxAgeOf(max_age);
  return {
    signIn: {
      began: now,
      ...(maxAge !== undefined && { maxAge }),
      wishes: { client_id, ...(max_age !== undefined && { max_age }), ...(acr_values !== undefined && { acr_values }) },
    },
  };
};
