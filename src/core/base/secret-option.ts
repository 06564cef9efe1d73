import { either, ENVIRONMENT, fail, listOf, refined, text } from './schema.js';

const MIN_SECRET_LENGTH = 32;

/** Keys are derived from secrets, so these must be too long to guess. */
const oneSecret = refined(text('text of at least 32 characters', /^[^]+$/, ENVIRONMENT), (given, path) =>
  given.includes('client_secret')
    ? fail(
        `${path} is the registration of a client secret. Use a secret of its own: npx oauth-query secret --raw, or openssl rand -base64 32.`,
        'OQ110',
      )
    : given.length >= MIN_SECRET_LENGTH
      ? given
      : fail(
          `${path} has ${given.length} characters and needs at least ${MIN_SECRET_LENGTH}. Generate one with "openssl rand -base64 32".`,
        ),
);

/** Validation of an option with one secret or several. */
export const SECRETS = refined(
  either(oneSecret, listOf('an array of such texts', oneSecret)),
  (given, path): readonly string[] => {
    const secrets = typeof given === 'string' ? [given] : given;
    return secrets.length > 0
      ? secrets
      : fail(`${path} is an empty list. Give at least one text of 32 characters, or leave it out.`);
  },
);
