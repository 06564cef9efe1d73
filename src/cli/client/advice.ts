import {
  type ClientSecret,
  hasShortSecret,
  plainSecrets,
  RANDOM_CHARACTERS,
} from '../../core/oauth/clients/client-secret.js';
import type { Client, ClientRegistration } from '../../core/oauth/clients/client.js';

/** A warning about a registration that a server accepts. */
export interface Advice {
  /** A stable name. */
  readonly rule: string;
  /** A sentence that states the risk. */
  readonly problem: string;
  /** A sentence that states what to do instead. */
  readonly remedy: string;
}

interface Subject {
  readonly registration: ClientRegistration;
  readonly client: Client;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Rule {
  /** The risks, each as a sentence. */
  readonly problems: (subject: Subject) => readonly string[];
  readonly remedy: string;
}

const when = (condition: boolean, problem: string): readonly string[] => (condition ? [problem] : []);

const MONTH = 30 * 86_400_000;

const secretsOf = ({ registration: { client_secret: given } }: Subject): readonly (string | ClientSecret)[] =>
  given === undefined ? [] : ([given].flat() as readonly (string | ClientSecret)[]);

const expiryOf = (secret: string | ClientSecret): number =>
  typeof secret === 'string' ? Infinity : (secret.expiresAt ?? Infinity);

const sendsPeople = ({ client }: Subject): boolean =>
  ['authorization_code', 'implicit'].some((grant) => client.grantTypes.has(grant));

/** Servers reject other http URIs. */
const isLoopback = (uri: string): boolean => /^http:/i.test(uri);

const isWeb = (uri: string): boolean => /^https?:/i.test(uri);

/** Parameters that many pages use as the target of a redirect, which could leak the code. */
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
  password: 'the client receives the passwords of its users',
  implicit: 'access tokens end up in browser histories and logs, and cannot be bound to the client',
};

const RULES: Readonly<Record<string, Rule>> = {
  'plain-secret': {
    problems: ({ registration }) =>
      when(
        plainSecrets(registration.client_secret).length > 0,
        'The registration contains a secret in plain text: access to the file, its backups or its history is enough to impersonate the client.',
      ),
    remedy: 'Register its hash. `oauth-query secret --stdin` hashes an existing secret.',
  },
  'short-secret': {
    problems: ({ registration }) =>
      when(
        hasShortSecret(registration.client_secret),
        `A secret has fewer than ${RANDOM_CHARACTERS} characters, which is less than the 128 random bits required to prevent guessing (RFC 6749 §10.10).`,
      ),
    remedy: 'Generate a new one with `oauth-query secret`, and register both until the client uses it.',
  },
  'expired-secret': {
    problems: (subject) =>
      when(
        secretsOf(subject).some((secret) => expiryOf(secret) <= subject.now),
        'A secret has expired and is rejected.',
      ),
    remedy: 'Remove it, and make sure that the client has a different one.',
  },
  'expiring-secret': {
    problems: (subject) =>
      when(
        secretsOf(subject).length > 0 && secretsOf(subject).every((secret) => expiryOf(secret) <= subject.now + MONTH),
        'Every secret of this client expires within a month; after that it cannot authenticate.',
      ),
    remedy: 'Add a new secret to the list, and give it to the client.',
  },
  'legacy-grant': {
    problems: ({ client }) =>
      Object.entries(LEGACY)
        .filter(([grant]) => client.grantTypes.has(grant))
        .map(([grant, why]) => `The ${grant} grant is discouraged (RFC 9700 §2): ${why}.`),
    remedy: 'Use authorization_code with PKCE, or device_code if there is no browser.',
  },
  'any-scope': {
    problems: ({ registration }) =>
      when(
        registration.scope === undefined,
        'There is no scope, so the client may request all current and future scopes of the server.',
      ),
    remedy: 'List the scopes that the client needs in scope.',
  },
  'any-default-scope': {
    problems: ({ registration, client }) =>
      when(
        registration.scope !== undefined && registration.default_scope === undefined && client.scopes.size > 1,
        'There is no default_scope, so a request without a scope requests all scopes of the client.',
      ),
    remedy: 'Set default_scope to the minimum.',
  },
  'plain-pkce': {
    problems: ({ client }) =>
      when(
        client.challengeMethods.has('plain'),
        'code_challenge_methods contains plain: an attacker who sees the authorization request can redeem the code (RFC 7636 §7.2).',
      ),
    remedy: 'Remove code_challenge_methods, unless the client cannot compute SHA-256.',
  },
  'optional-pkce': {
    problems: ({ client }) =>
      when(
        client.grantTypes.has('authorization_code') && !client.requirePkce,
        'The client may omit PKCE, without which injected codes are not detected (RFC 9700 §2.1.1).',
      ),
    remedy: 'Set require_pkce: true. Client libraries have supported PKCE for years.',
  },
  'localhost-redirect': {
    problems: ({ client }) =>
      client.redirectUris
        .filter((uri) => /^http:\/\/localhost(?=[:/?]|$)/i.test(uri))
        .map(
          (uri) => `The redirect URI ${uri} uses localhost, which may resolve to a different machine (RFC 8252 §8.3).`,
        ),
    remedy: 'Register http://127.0.0.1 and http://[::1] instead; unlike localhost, they match any port.',
  },
  'confidential-loopback': {
    problems: ({ client }) =>
      when(
        !client.public && client.redirectUris.some(isLoopback),
        'The client has a secret, and a redirect URI on the machine of its user. An installed app cannot keep a secret (RFC 8252 §8.5).',
      ),
    remedy: 'For an installed app, register a public client without a secret; for development, use a separate client.',
  },
  'app-scheme': {
    problems: ({ client }) =>
      client.redirectUris
        .filter((uri) => !isWeb(uri) && !(uri.split(':', 1)[0] ?? '').includes('.'))
        .map((uri) => `The redirect URI ${uri} has a scheme that any app can register (RFC 8252 §7.1).`),
    remedy:
      'Use an https URL that is claimed by the app, or a scheme derived from your domain, such as com.example.app.',
  },
  'wide-redirect': {
    problems: ({ client }) =>
      client.redirectUris
        .filter((uri) => /^https:\/\/[^/?]+\/?$/i.test(uri))
        .map(
          (uri) => `The redirect URI ${uri} is a front page, where third-party scripts can read the URL with the code.`,
        ),
    remedy: 'Use a separate page for responses, such as https://app.example/callback.',
  },
  'forwarding-redirect': {
    problems: ({ client }) =>
      client.redirectUris.flatMap((uri) => {
        const name = forwarding(uri);
        return name === undefined
          ? []
          : [
              `The redirect URI ${uri} has the parameter ${name}: an open redirector would leak the code (RFC 9700 §4.11).`,
            ];
      }),
    remedy: 'Register a URL that does not redirect, and use state for what the client has to remember.',
  },
  'unused-redirect': {
    problems: (subject) =>
      when(
        subject.client.redirectUris.length > 0 && !sendsPeople(subject),
        'There are redirect_uris, but no grant that uses them.',
      ),
    remedy: 'Remove redirect_uris, or add authorization_code to grant_types.',
  },
  'nothing-to-refresh': {
    problems: ({ client }) =>
      when(
        client.grantTypes.has('refresh_token') &&
          [...client.grantTypes].every((grant) => ['refresh_token', 'client_credentials', 'implicit'].includes(grant)),
        'The client has refresh_token, but no other grant that issues refresh tokens.',
      ),
    remedy: 'Remove refresh_token from grant_types.',
  },
  'reusable-refresh': {
    problems: ({ client }) =>
      when(
        client.refresh === 'reusable',
        'Refresh tokens are not rotated, so the use of a stolen one is not detected (RFC 9700 §4.14).',
      ),
    remedy: "Remove refresh, unless the client cannot store a new token; the default is 'rotating'.",
  },
  'sees-every-token': {
    problems: ({ client }) =>
      when(
        client.introspect && client.audience === undefined,
        'introspect is set without audience: the client can introspect all tokens, including those for other resources.',
      ),
    remedy: 'Unless it serves all resources, list its own in audience.',
  },
  nameless: {
    problems: (subject) =>
      when(
        subject.registration.client_name === undefined &&
          (sendsPeople(subject) || [...subject.client.grantTypes].some((grant) => grant.endsWith('device_code'))),
        'There is no client_name, so consent pages show the client_id.',
      ),
    remedy: 'Set client_name to a name that users recognize.',
  },
  disabled: {
    problems: ({ client }) => when(client.disabled, 'The client is disabled: it is rejected everywhere.'),
    remedy: 'Remove disabled to enable it again.',
  },
};

/** The names of all rules, in the order of the checks. */
export const ADVICE_RULES: readonly string[] = Object.keys(RULES);

/** Warnings about a registration that a server accepts. */
export const adviceFor = (subject: Subject): readonly Advice[] =>
  Object.entries(RULES).flatMap(([rule, { problems, remedy }]) =>
    problems(subject).map((problem) => ({ rule, problem, remedy })),
  );
