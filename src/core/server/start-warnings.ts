import { isPublicIssuer } from '../base/addresses/loopback.js';
import { CHANGED_BY_BASIC, GUESSABLE, hasShortSecret, isChangedByBasic } from '../oauth/clients/client-secret.js';
import { type ClientRegistration, isRegistry, OWNER_GRANTS } from '../oauth/clients/client.js';
import { isSharedScheme } from '../oauth/clients/redirect-uri.js';
import type { ScopeDefinition } from '../oauth/facts/settings.js';
import type { OAuthConfig } from '../oauth/kernel/config.js';
import { scopesOfFeatures } from './options/resolve.js';
import type { CheckedOptions } from './options/server-table.js';

/** The warning about a client whose owners cannot sign in here. Another process with the same store may have the pages for it. */
const strandedClient = (
  { owner, users }: CheckedOptions,
  { clients, grants, ownClients }: OAuthConfig,
): string | undefined => {
  if (owner !== undefined || users !== undefined) return undefined;
  if (ownClients.size > 0)
    return 'Clients may register themselves, but users cannot sign in. Set options.users, or options.owner and options.loginUrl.';
  for (const client of clients.listed.values()) {
    const grant = OWNER_GRANTS.find((name) => grants.has(name) && client.grantTypes.has(name));
    if (grant !== undefined)
      return `Client ${JSON.stringify(client.client_id)} uses ${grant}, but users cannot sign in. Set options.users, or options.owner and options.loginUrl.`;
  }
  return undefined;
};

/** The clients of the options that have a problem, each quoted; `undefined` if there is none. */
const clientsWith = (
  { clients = [] }: CheckedOptions,
  hasProblem: (client: ClientRegistration) => boolean,
): string | undefined => {
  if (isRegistry(clients)) return undefined;
  const names = clients.flatMap((client) =>
    !isRegistry(client) && hasProblem(client) ? [JSON.stringify(client.client_id)] : [],
  );
  return names.length === 0 ? undefined : names.join(', ');
};

/** Warnings about credentials. Those that could be guessed or read are left alone on loopback, where examples and tests run. */
const warnOfCredentials = (options: CheckedOptions): void => {
  const { issuer, users } = options;
  const changed = clientsWith(options, isChangedByBasic);
  if (changed !== undefined)
    options.onWarning?.(`The client_id or client_secret of ${changed} ${CHANGED_BY_BASIC}`, 'OQ211');
  const shared = clientsWith(options, ({ redirect_uris = [] }) => [redirect_uris ?? []].flat().some(isSharedScheme));
  if (shared !== undefined)
    options.onWarning?.(
      `A redirect URI of ${shared} has a scheme without a dot, which another app on the device may have too, and then receive the code (RFC 8252 §7.1). Use a domain name of yours in reverse order, such as com.example.app:/callback, or an https URL that the app claims.`,
      'OQ212',
    );
  if (!isPublicIssuer(issuer)) return;
  const guessable = clientsWith(options, ({ client_secret }) => hasShortSecret(client_secret));
  if (guessable !== undefined) options.onWarning?.(`The client_secret of ${guessable} ${GUESSABLE}`, 'OQ204');
  const plain = Array.isArray(users) ? users.filter(({ password }) => typeof password === 'string') : [];
  const [first] = plain;
  if (first !== undefined)
    options.onWarning?.(
      `options.users contains ${plain.length === 1 ? 'the password' : `${plain.length} passwords, such as that`} of ${JSON.stringify(first.username)} as plain text, so anyone who reads the configuration can sign in. Replace it by its hash: password: { scrypt: … } with what hashSecret, or npx oauth-query secret --stdin, makes of it.`,
      'OQ210',
    );
};

/** Warnings about scopes that owners cannot read in the language of the page. A scope without translations is left alone. */
const untranslatedScopes = (
  { languages: { offered }, scopes }: OAuthConfig,
  ofFeatures: readonly ScopeDefinition[],
): readonly string[] =>
  [...scopes].flatMap(([name, definition]) => {
    const { translations = {} } = definition;
    // Features translate theirs into every language of the package.
    if (ofFeatures.includes(definition)) return [];
    const given = Object.keys(translations);
    if (given.length === 0) return [];
    const path = `options.scopes[${JSON.stringify(name)}].translations`;
    const unused = given.filter((language) => !offered.includes(language));
    const missing = offered.filter((language) => !given.includes(language));
    return [
      ...(unused.length === 0
        ? []
        : [`${path} has ${unused.join(', ')}, but the pages are offered in ${offered.join(', ')}: it is never shown.`]),
      // One language is that of the description itself.
      ...(missing.length <= 1
        ? []
        : [
            `${path} lacks ${missing.join(', ')}: pages in these languages all show the description. Add translations, or name in options.languages only those in which scopes are described.`,
          ]),
    ];
  });

/** Warnings about clients that get more than a feature advises. */
const warnOfPrivilege = (options: CheckedOptions, { leastPrivilege: rule }: OAuthConfig['rules']): void => {
  if (rule === undefined) return;
  const from = `${rule.feature}() advises (${rule.clause})`;
  const unlimited = clientsWith(options, ({ default_scope }) => default_scope === undefined);
  if (unlimited !== undefined)
    options.onWarning?.(
      `${unlimited} has no default_scope, so a request without a scope gets everything; ${from} to grant no more than is needed. Set default_scope.`,
      'OQ213',
    );
  const unasked = clientsWith(options, ({ consent }) => consent === 'skip');
  if (unasked !== undefined)
    options.onWarning?.(
      `The users of ${unasked} are not asked for consent; ${from} to inform them. Omit consent.`,
      'OQ213',
    );
};

/** Warns about settings that work but should be changed. */
export const warnAtStart = (options: CheckedOptions, config: OAuthConfig): void => {
  const { issuer, clients, secret } = options;
  const missing = [
    issuer === undefined && 'issuer (taken from each request, on loopback only)',
    clients === undefined && config.ownClients.size === 0 && 'clients (no tokens are issued)',
    config.jwt === true && 'keys in jwt (one is generated at start: tokens end with the process)',
    secret === undefined &&
      'secret (generated at start: sessions end with the process, and other processes do not know them)',
  ].filter((sentence) => sentence !== false);
  if (missing.length > 0) options.onWarning?.(`Missing options: ${missing.join('; ')}.`, 'OQ201');
  const stranded = strandedClient(options, config);
  if (stranded !== undefined) options.onWarning?.(stranded, 'OQ203');
  warnOfCredentials(options);
  warnOfPrivilege(options, config.rules);
  const ofFeatures = Object.values(scopesOfFeatures(options));
  for (const sentence of untranslatedScopes(config, ofFeatures)) options.onWarning?.(sentence, 'OQ206');
  for (const grant of ['password', 'implicit']) {
    if (config.grants.has(grant))
      options.onWarning?.(
        `The ${grant} grant is enabled. It is discouraged (RFC 9700 §2): use it only for clients that support no other.`,
        'OQ207',
      );
  }
};
