import { either, type Entry, ENVIRONMENT, fail, LINE_BREAK, listOf, refined, text } from './schema.js';

const MIN_SECRET_LENGTH = 32;

/** Keys are derived from secrets, so these must be too long to guess. */
const oneSecret = refined(text('a string of at least 32 characters', /^[^]+$/, ENVIRONMENT), (given, path) =>
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
export const SECRETS: Entry<string | readonly string[], readonly string[] | undefined> = refined(
  either(oneSecret, listOf('an array of such strings', oneSecret)),
  (given, path): readonly string[] => {
    const secrets = typeof given === 'string' ? [given] : given;
    const [first] = secrets;
    for (const [index, text] of secrets.entries()) {
      // Servers may have run with it: the same text is still read, after the one without.
      if (text === text.trim() || (index > 0 && text.trim() === first)) continue;
      fail(
        `${typeof given === 'string' ? path : `${path}[${index}]`} begins or ends with white space; ${LINE_BREAK} Remove it: a process without it would have another secret. If all have run with it, pass [text.trim(), text].`,
      );
    }
    return secrets.length > 0
      ? secrets
      : fail(`${path} is an empty list. Give at least one text of 32 characters, or leave it out.`);
  },
);
