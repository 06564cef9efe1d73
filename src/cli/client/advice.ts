import type { Client, ClientRegistration } from '../../core/oauth/clients/client.js';
import type { ClientSecret } from '../../core/oauth/clients/client-secret.js';

/** Something that a server accepts and that is worth a second thought. */
export interface Advice {
  /** A stable name, for programs. */
  readonly rule: string;
  /** A sentence: what there is, and why it is doubtful. */
  readonly problem: string;
  /** A sentence: what to do instead. */
  readonly remedy: string;
}

interface Subject {
  readonly registration: ClientRegistration;
  readonly client: Client;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Rule {
  /** What is doubtful about it, each as a sentence. */
  readonly problems: (subject: Subject) => readonly string[];
  readonly remedy: string;
}

const when = (condition: boolean, problem: string): readonly string[] => (condition ? [problem] : []);

const MONTH = 30 * 86_400_000;

/** base64url characters of 128 bits (RFC 6749 §10.10). */
const RANDOM_CHARACTERS = 22;

const secretsOf = ({ registration: { client_secret: given } }: Subject): readonly (string | ClientSecret)[] =>
  given === undefined ? [] : ([given].flat() as readonly (string | ClientSecret)[]);

const plainOf = (secret: string | ClientSecret): string | undefined =>
  typeof secret === 'string' ? secret : secret.value;

const expiryOf = (secret: string | ClientSecret): number =>
  typeof secret === 'string' ? Infinity : (secret.expiresAt ?? Infinity);

const sendsPeople = ({ client }: Subject): boolean =>
  ['authorization_code', 'implicit'].some((grant) => client.grantTypes.has(grant));

/** A server refuses http elsewhere. */
const isLoopback = (uri: string): boolean => /^http:/i.test(uri);

const isWeb = (uri: string): boolean => /^https?:/i.test(uri);

/** Parameters that many pages send the browser on to; then a code could be sent on with it. */
const FORWARDING = [
  'continue',
  'dest',
  'destination',
  'goto',
  'next',
  'redirect',
  'return',
  'return_to',
  'target',
  'url',
];

const forwarding = (uri: string): string | undefined => {
  const mark = uri.indexOf('?');
  const names = mark === -1 ? [] : [...new URLSearchParams(uri.slice(mark + 1)).keys()];
  return names.find((name) => FORWARDING.includes(name.toLowerCase()));
};

const LEGACY: Readonly<Record<string, string>> = {
  password: 'the client gets to see the passwords of people',
  implicit: 'access tokens end up in browser histories and logs, and cannot be bound to the client',
};

const RULES: Readonly<Record<string, Rule>> = {
  'plain-secret': {
    problems: (subject) =>
      when(
        secretsOf(subject).some((secret) => plainOf(secret) !== undefined),
        'A secret stands in the registration as it is: who reads the file, a backup of it or its history is the client.',
      ),
    remedy: 'Register its hash. `oauth-query secret --stdin` makes it of an existing secret.',
  },
  'short-secret': {
    problems: (subject) =>
      when(
        secretsOf(subject).some((secret) => (plainOf(secret)?.length ?? Infinity) < RANDOM_CHARACTERS),
        `A secret has fewer than ${RANDOM_CHARACTERS} characters, so it is not the 128 random bits that cannot be guessed (RFC 6749 §10.10).`,
      ),
    remedy: 'Let `oauth-query secret` make a new one; register both until the client has it.',
  },
  'expired-secret': {
    problems: (subject) =>
      when(
        secretsOf(subject).some((secret) => expiryOf(secret) <= subject.now),
        'A secret has expired and is refused.',
      ),
    remedy: 'Remove it, and check that the client has another one.',
  },
  'expiring-secret': {
    problems: (subject) =>
      when(
        secretsOf(subject).length > 0 && secretsOf(subject).every((secret) => expiryOf(secret) <= subject.now + MONTH),
        'Every secret of this client expires within a month; after that it cannot authenticate.',
      ),
    remedy: 'Add a new secret beside the old one, and give it to the client.',
  },
  'legacy-grant': {
    problems: ({ client }) =>
      Object.entries(LEGACY)
        .filter(([grant]) => client.grantTypes.has(grant))
        .map(([grant, why]) => `The ${grant} grant is discouraged (RFC 9700 §2): ${why}.`),
    remedy: 'Use authorization_code with PKCE, or device_code where there is no browser.',
  },
  'any-scope': {
    problems: ({ registration }) =>
      when(
        registration.scope === undefined,
        'There is no scope, so the client may ask for every one that the server has, also for those to come.',
      ),
    remedy: 'Name in scope what the client needs.',
  },
  'any-default-scope': {
    problems: ({ registration, client }) =>
      when(
        registration.scope !== undefined && registration.default_scope === undefined && client.scopes.size > 1,
        'There is no default_scope, so a request that names no scope is one for everything that the client may have.',
      ),
    remedy: 'Name in default_scope the little that such a request should get.',
  },
  'plain-pkce': {
    problems: ({ client }) =>
      when(
        client.challengeMethods.has('plain'),
        'code_challenge_methods allows plain: who sees the authorization request can redeem the code (RFC 7636 §7.2).',
      ),
    remedy: 'Leave code_challenge_methods out, unless the client really cannot compute SHA-256.',
  },
  'optional-pkce': {
    problems: ({ client }) =>
      when(
        client.grantTypes.has('authorization_code') && !client.requirePkce,
        'The client may leave PKCE out, and then a code that was injected into its answer is not noticed (RFC 9700 §2.1.1).',
      ),
    remedy: 'Set require_pkce: true. Client libraries have sent a challenge for years.',
  },
  'localhost-redirect': {
    problems: ({ client }) =>
      client.redirectUris
        .filter((uri) => /^http:\/\/localhost(?=[:/?]|$)/i.test(uri))
        .map(
          (uri) => `The redirect URI ${uri} has a name that may lead elsewhere than to this machine (RFC 8252 §8.3).`,
        ),
    remedy: 'Register http://127.0.0.1 and http://[::1] instead; they take any port, which localhost does not.',
  },
  'confidential-loopback': {
    problems: ({ client }) =>
      when(
        !client.public && client.redirectUris.some(isLoopback),
        'The client has a secret and a redirect URI on the machine of its user. What a user installs cannot keep a secret (RFC 8252 §8.5).',
      ),
    remedy: 'For an installed app register a public client without a secret; for development, a client of its own.',
  },
  'app-scheme': {
    problems: ({ client }) =>
      client.redirectUris
        .filter((uri) => !isWeb(uri) && !(uri.split(':', 1)[0] ?? '').includes('.'))
        .map((uri) => `The redirect URI ${uri} has a scheme that any app can claim for itself (RFC 8252 §7.1).`),
    remedy:
      'Use an https address that belongs to the app, or a scheme made of a domain of yours, such as com.example.app.',
  },
  'wide-redirect': {
    problems: ({ client }) =>
      client.redirectUris
        .filter((uri) => /^https:\/\/[^/?]+\/?$/i.test(uri))
        .map(
          (uri) =>
            `The redirect URI ${uri} is a front page, where scripts of others see the address with the code in it.`,
        ),
    remedy: 'Give the client an address of its own for answers, such as https://app.example/callback.',
  },
  'forwarding-redirect': {
    problems: ({ client }) =>
      client.redirectUris.flatMap((uri) => {
        const name = forwarding(uri);
        return name === undefined
          ? []
          : [
              `The redirect URI ${uri} has a parameter ${name}: a page that sends the browser on hands the code on (RFC 9700 §4.11).`,
            ];
      }),
    remedy: 'Register an address that goes nowhere else; what the client has to remember belongs into state.',
  },
  'unused-redirect': {
    problems: (subject) =>
      when(
        subject.client.redirectUris.length > 0 && !sendsPeople(subject),
        'There are redirect_uris, and no grant that uses them.',
      ),
    remedy: 'Remove redirect_uris, or name authorization_code in grant_types.',
  },
  'nothing-to-refresh': {
    problems: ({ client }) =>
      when(
        client.grantTypes.has('refresh_token') &&
          [...client.grantTypes].every((grant) => ['refresh_token', 'client_credentials', 'implicit'].includes(grant)),
        'The client may refresh, and none of its other grants gives refresh tokens.',
      ),
    remedy: 'Take refresh_token out of grant_types.',
  },
  'reusable-refresh': {
    problems: ({ client }) =>
      when(
        client.refresh === 'reusable',
        'Refresh tokens are kept instead of rotated, so a stolen one is not noticed (RFC 9700 §4.14).',
      ),
    remedy: "Leave refresh out, unless the client cannot store a new token; 'rotating' is what it means then.",
  },
  'sees-every-token': {
    problems: ({ client }) =>
      when(
        client.introspect && client.audience === undefined,
        'introspect without audience: the client sees what every token is, also those for other resources.',
      ),
    remedy: 'Name in audience the resources that it serves, if it does not serve all.',
  },
  nameless: {
    problems: (subject) =>
      when(
        subject.registration.client_name === undefined &&
          (sendsPeople(subject) || [...subject.client.grantTypes].some((grant) => grant.endsWith('device_code'))),
        'There is no client_name, so people are asked about a client_id.',
      ),
    remedy: 'Give it the name by which its users know it.',
  },
  disabled: {
    problems: ({ client }) => when(client.disabled, 'The client is disabled: it is refused everywhere.'),
    remedy: 'Remove disabled when it may come back.',
  },
};

/** The names of all rules, in the order in which they are looked at. */
export const ADVICE_RULES: readonly string[] = Object.keys(RULES);

/** What is doubtful about a registration that a server accepts. */
export const adviceFor = (subject: Subject): readonly Advice[] =>
  Object.entries(RULES).flatMap(([rule, { problems, remedy }]) =>
    problems(subject).map((problem) => ({ rule, problem, remedy })),
  );
