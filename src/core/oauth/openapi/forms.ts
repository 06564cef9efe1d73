import type { OAuthConfig } from '../settings.js';
import { ref, type Schema } from '../../base/openapi.js';
import { DEVICE_CODE_GRANT, GRANT_TYPES, type GrantType } from '../clients/client.js';
import { CLIENT_PARAMETERS } from '../clients/client-authentication.js';
import { AUTHORIZE_PARAMETERS } from '../endpoints/authorize.js';
import { DEVICE_AUTHORIZATION_PARAMETERS } from '../endpoints/device-authorization.js';
import { DEVICE_PAGE_PARAMETERS } from '../endpoints/device-verification.js';
import { GRANTS_PAGE_PARAMETERS } from '../endpoints/grants.js';
import { INTROSPECTION_PARAMETERS } from '../endpoints/introspection.js';
import { REVOCATION_PARAMETERS } from '../endpoints/revocation.js';
import { TOKEN_PARAMETERS, tokenParameters } from '../endpoints/token.js';
import { ASSERTION_TYPE } from '../jwt/client-assertion.js';
import { type Definitions, GRAMMARS } from '../parameters.js';

/** All parameters of all endpoints. */
type ParameterName = keyof (typeof AUTHORIZE_PARAMETERS &
  typeof TOKEN_PARAMETERS &
  typeof DEVICE_AUTHORIZATION_PARAMETERS &
  typeof DEVICE_PAGE_PARAMETERS &
  typeof GRANTS_PAGE_PARAMETERS &
  typeof INTROSPECTION_PARAMETERS &
  typeof REVOCATION_PARAMETERS);

/** A description of each. A new parameter of an endpoint only compiles with a description here. */
const TEXTS: Readonly<Record<ParameterName, string>> = {
  client_assertion: 'A JWT signed by the client, instead of a secret (RFC 7523 §2.2).',
  client_assertion_type: 'Required with client_assertion.',
  client_id: 'The client, unless it authenticates in the Authorization header.',
  client_secret: "The client's secret, unless it is sent in the Authorization header.",
  code: 'The authorization code. It works once.',
  code_challenge: 'The PKCE challenge (RFC 7636 §4.2). Required of public clients.',
  code_challenge_method: 'The method by which the challenge was derived from the verifier.',
  code_verifier: 'The PKCE verifier for the challenge of the authorization request (RFC 7636 §4.5).',
  decision: 'The pressed button of our page.',
  disconnect: 'The client_id of the application to disconnect.',
  device_code: 'The device code.',
  form_token: 'Proves that the form was shown by our page.',
  grant_type: 'The grant type.',
  password: 'The password of the resource owner.',
  redirect_uri: 'One of the registered redirect URIs.',
  refresh_token: 'The refresh token. The response may contain a new one that replaces it.',
  resource: 'The resource the token is for; may be repeated (RFC 8707).',
  response_type: 'The type of response the client requests.',
  resume: 'The authorization request in progress, encrypted.',
  scope: "Scopes separated by spaces. Default: the client's default scope.",
  state: 'Returned with the response; binds it to the browser.',
  token: 'The token.',
  token_type_hint: 'The expected type of the token. The token is found without it.',
  ui_locales:
    'The preferred languages of the owner, best first, separated by spaces (OpenID Connect Core 1.0 §3.1.2.1).',
  user_code: 'The code shown on the device.',
  username: 'The user name of the resource owner.',
};

/** Values that must not be logged. */
const SECRETS: ReadonlySet<string> = new Set(['client_secret', 'password']);

/** The allowed values, if the server's options list them. */
const valuesOf = (config: OAuthConfig): Readonly<Partial<Record<string, readonly string[]>>> => ({
  response_type: RESPONSE_TYPES.filter(([, grant]) => config.grants.has(grant)).map(([type]) => type),
  code_challenge_method: config.clients.challengeMethods,
  client_assertion_type: [ASSERTION_TYPE],
  token_type_hint: ['access_token', 'refresh_token'],
});

const RESPONSE_TYPES = [
  ['code', 'authorization_code'],
  ['token', 'implicit'],
] as const;

/** Creates the schemas of single parameters and of forms. */
export class Forms {
  readonly #config: OAuthConfig;
  readonly #values: Readonly<Partial<Record<string, readonly string[]>>>;

  constructor(config: OAuthConfig) {
    this.#config = config;
    this.#values = valuesOf(config);
  }

  #property(name: string, grammar: Definitions[string]): Schema {
    const values = this.#values[name];
    const described: Readonly<Record<string, string>> = TEXTS;
    const one = {
      type: 'string',
      ...(values === undefined ? { pattern: GRAMMARS[grammar].source } : { enum: values }),
      ...(SECRETS.has(name) ? { format: 'password' } : {}),
    };
    const description = described[name] ?? '';
    return name === 'resource' ? { type: 'array', items: one, description } : { ...one, description };
  }

  /** A form with these parameters, except those that no client can use. */
  form(definitions: Definitions, required: readonly string[]): Schema {
    const signs = this.#config.clients.authenticationMethods.includes('private_key_jwt');
    const usable = Object.entries(definitions).filter(([name]) => signs || !name.startsWith('client_assertion'));
    return {
      type: 'object',
      required,
      properties: Object.fromEntries(usable.map(([name, grammar]) => [name, this.#property(name, grammar)])),
    };
  }

  /** The same as query parameters. */
  parameters(definitions: Definitions, required: readonly string[]): readonly object[] {
    return Object.entries(definitions).map(([name, grammar]) => {
      const { description, ...schema } = this.#property(name, grammar);
      return { name, in: 'query', description, ...(required.includes(name) ? { required: true } : {}), schema };
    });
  }

  /** The forms of the token endpoint by schema name: one per enabled grant. */
  tokenForms(): Readonly<Record<string, Schema>> {
    const forms: Record<string, Schema> = {};
    const { grants, customGrants } = this.#config;
    for (const grant of GRANT_TYPES) {
      const fields = GRANT_FIELDS[grant];
      if (grants.has(grant) && fields !== undefined) forms[schemaNameOf(grant, forms)] = this.#tokenForm(grant, fields);
    }
    for (const [grant, { parameters = {} }] of customGrants) {
      const own = Object.entries(parameters);
      const required = own.filter(([, parameter]) => parameter.required === true).map(([name]) => name);
      const optional = [...Object.keys(parameters), 'scope', 'resource'];
      const texts = Object.fromEntries(own.map(([name, { description = '' }]) => [name, description]));
      forms[schemaNameOf(grant, forms)] = this.#tokenForm(grant, { required, optional }, texts);
    }
    return forms;
  }

  #tokenForm(grant: string, { required, optional }: GrantFields, texts: Readonly<Record<string, string>> = {}): Schema {
    const names = new Set<string>(['grant_type', ...required, ...optional, ...Object.keys(CLIENT_PARAMETERS)]);
    const definitions = Object.entries(tokenParameters(this.#config)).filter(([name]) => names.has(name));
    const form = this.form(Object.fromEntries(definitions), ['grant_type', ...required]);
    const properties: Record<string, Schema> = { ...Object(form['properties']) };
    properties['grant_type'] = { type: 'string', enum: [grant], description: TEXTS.grant_type };
    for (const [name, description] of Object.entries(texts)) properties[name] = { ...properties[name], description };
    return { ...form, properties };
  }
}

type TokenField = Exclude<keyof typeof TOKEN_PARAMETERS, 'grant_type' | keyof typeof CLIENT_PARAMETERS>;

/** The parameters of a grant, except those for client authentication. */
interface GrantFields<Name extends string = string> {
  readonly required: readonly Name[];
  readonly optional: readonly Name[];
}

/** Every grant of this endpoint needs an entry. */
const GRANT_FIELDS: Readonly<Record<GrantType, GrantFields<TokenField> | undefined>> = {
  authorization_code: { required: ['code'], optional: ['redirect_uri', 'code_verifier', 'resource'] },
  client_credentials: { required: [], optional: ['scope', 'resource'] },
  refresh_token: { required: ['refresh_token'], optional: ['scope', 'resource'] },
  [DEVICE_CODE_GRANT]: { required: ['device_code'], optional: [] },
  password: { required: ['username', 'password'], optional: ['scope', 'resource'] },
  implicit: undefined,
};

/** `urn:ietf:params:oauth:grant-type:device_code` → `DeviceCodeRequest`; a number distinguishes grants with the same ending. */
const schemaNameOf = (grant: string, taken: object): string => {
  const words = (grant.split(/[:/]/).findLast((part) => /[A-Za-z0-9]/.test(part)) ?? 'Custom').split(/[^A-Za-z0-9]+/);
  const name = `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Request`;
  let number = 1;
  while (Object.hasOwn(taken, number === 1 ? name : name + number)) number += 1;
  return number === 1 ? name : name + number;
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A request body: a form with one of these schemas. */
export const formBody = (schema: Schema): object => ({ required: true, content: { [FORM_TYPE]: { schema } } });

/** One of these schemas, by name; any object if there are none. */
export const oneOf = (names: readonly string[]): Schema =>
  names.length === 0 ? { type: 'object' } : { oneOf: names.map((name) => ref('schemas', name)) };
