import { createHash } from 'node:crypto';
import type { FeatureHost, Form, FormFields } from '../../core/feature/index.js';
import type { ClientRegistration, ClientRow } from '../../core/index.js';

/** The fields in which administrators type. */
const TYPED = {
  client_id: 'text',
  client_name: 'text',
  redirect_uris: 'lines',
  jwks_uri: 'text',
  client_uri: 'text',
  logo_uri: 'text',
  policy_uri: 'text',
  tos_uri: 'text',
  audience: 'lines',
  exchange_resources: 'lines',
} as const satisfies FormFields;

const CHOSEN = { kind: 'vschar', all_scopes: 'vschar', introspect: 'vschar' } as const satisfies FormFields;

export type TypedField = keyof typeof TYPED;

const NAMES = Object.keys(TYPED) as readonly TypedField[];

/** Those with a value on each line. */
type ListField = { [Name in TypedField]: (typeof TYPED)[Name] extends 'lines' ? Name : never }[TypedField];

const isList = (name: TypedField): name is ListField => TYPED[name] === 'lines';

/** What a client of this server may have. */
export interface Offer {
  readonly grants: readonly string[];
  readonly scopes: readonly string[];
}

/** The most used ones first. */
const ORDER = ['authorization_code', 'refresh_token', 'client_credentials', 'device_code', 'password', 'implicit'];

/** RFC 8628 §3.4 */
const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** The short name of a grant. */
const shortGrant = (name: string): string => (name === DEVICE_CODE_GRANT ? 'device_code' : name);

export const offerOf = ({ grants, scopes }: Pick<FeatureHost, 'grants' | 'scopes'>): Offer => {
  const names = [...grants].map(shortGrant);
  const others = names.filter((name) => !ORDER.includes(name));
  return { grants: [...ORDER.filter((name) => names.includes(name)), ...others], scopes: [...scopes.keys()] };
};

/** The name of a checkbox. It has no characters that a body parser could take for structure. */
export const checkboxOf = (kind: 'grant' | 'scope', name: string): string =>
  `${kind}_${createHash('sha256').update(name).digest('base64url').slice(0, 12)}`;

/** The fields of the form. */
export const fieldsOf = ({ grants, scopes }: Offer): FormFields => ({
  ...TYPED,
  ...CHOSEN,
  ...Object.fromEntries(grants.map((name) => [checkboxOf('grant', name), 'vschar'] as const)),
  ...Object.fromEntries(scopes.map((name) => [checkboxOf('scope', name), 'vschar'] as const)),
});

/** The content of the form. */
export interface FormValues {
  readonly typed: Readonly<Record<TypedField, string>>;
  readonly isPublic: boolean;
  readonly grants: ReadonlySet<string>;
  readonly scopes: ReadonlySet<string>;
  /** Also those that the server gets later. */
  readonly hasAllScopes: boolean;
  readonly introspects: boolean;
}

const typed = (valueOf: (name: TypedField) => string): FormValues['typed'] =>
  Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as FormValues['typed']; // It has all names.

/** The form for a new client. */
export const emptyForm = ({ grants }: Offer): FormValues => ({
  typed: typed(() => ''),
  isPublic: false,
  grants: new Set(grants.filter((name) => name === 'authorization_code' || name === 'refresh_token')),
  scopes: new Set(),
  hasAllScopes: false,
  introspects: false,
});

/** The form as it was sent. */
export const sentForm = (form: Form, { grants, scopes }: Offer): FormValues => {
  const chosen = (kind: 'grant' | 'scope', names: readonly string[]): ReadonlySet<string> =>
    new Set(names.filter((name) => form.get(checkboxOf(kind, name)) !== undefined));
  return {
    typed: typed((name) => form.get(name) ?? ''),
    isPublic: form.get('kind') === 'public',
    grants: chosen('grant', grants),
    scopes: chosen('scope', scopes),
    hasAllScopes: form.get('all_scopes') !== undefined,
    introspects: form.get('introspect') !== undefined,
  };
};

/** Clients without a secret or keys, for which nobody vouches either. */
export const isPublicClient = ({
  client_secret,
  jwks,
  jwks_uri,
  token_endpoint_auth_method: method,
}: Pick<ClientRow, 'client_secret' | 'jwks' | 'jwks_uri' | 'token_endpoint_auth_method'>): boolean =>
  client_secret === undefined && jwks === undefined && (jwks_uri ?? '') === '' && method !== 'private_key_jwt';

/** Those that a registration names, or has without naming any. */
const grantsOf = (registration: ClientRegistration): readonly string[] => {
  const { grant_types, redirect_uris = [], refresh } = registration;
  if (grant_types !== undefined) return grant_types.map(shortGrant);
  if (redirect_uris.length === 0) return ['client_credentials'];
  const hasRefresh = !isPublicClient(registration) || refresh !== undefined;
  return ['authorization_code', ...(hasRefresh ? ['refresh_token'] : [])];
};

/** The form filled in from a registration. */
export const filledForm = (registration: ClientRegistration): FormValues => ({
  typed: typed((name) => {
    const value: unknown = registration[name];
    return Array.isArray(value) ? value.join('\n') : typeof value === 'string' ? value : '';
  }),
  isPublic: isPublicClient(registration),
  grants: new Set(grantsOf(registration)),
  scopes: new Set(registration.scope?.split(' ')),
  hasAllScopes: registration.scope === undefined,
  introspects: registration.introspect === true,
});

type Changes = {
  readonly [Name in Exclude<TypedField, 'client_id' | ListField>]: string | null;
} & {
  readonly [Name in ListField]?: readonly string[] | null;
} & {
  readonly grant_types: readonly string[];
  readonly scope: string | null;
  readonly introspect: true | null;
  readonly refresh?: 'rotating';
};

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * What the form changes: an empty field is removed.
 *
 * @param before - The registration as it was. An empty list stays one: without its `audience`, a client would see all tokens.
 */
export const registrationOf = (values: FormValues, offer: Offer, before: Partial<ClientRegistration> = {}): Changes => {
  const { typed: texts, grants, scopes, hasAllScopes, introspects, isPublic } = values;
  const lines = (name: ListField): readonly string[] | null => {
    const found = linesOf(texts[name]);
    return found.length > 0 || before[name]?.length === 0 ? found : null;
  };
  return {
    // It has all names.
    ...(Object.fromEntries(
      NAMES.filter((name) => name !== 'client_id').map((name) => [
        name,
        isList(name) ? lines(name) : texts[name].trim() || null,
      ]),
    ) as Omit<Changes, 'grant_types' | 'scope' | 'introspect' | 'refresh'>),
    grant_types: [...grants],
    scope: hasAllScopes || offer.scopes.length === 0 ? null : [...scopes].join(' '),
    introspect: introspects || null,
    // Otherwise a public client gets no refresh tokens.
    ...(isPublic && grants.has('refresh_token') && before.refresh === undefined && { refresh: 'rotating' as const }),
  };
};
