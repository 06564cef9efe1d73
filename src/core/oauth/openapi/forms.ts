import type { Config } from '../../config.js';
import { ref, type Schema } from '../../openapi.js';
import { DEVICE_CODE_GRANT, GRANT_TYPES, type GrantType } from '../client.js';
import { CLIENT_PARAMETERS } from '../client-authentication.js';
import { AUTHORIZE_PARAMETERS } from '../endpoints/authorize.js';
import { DEVICE_AUTHORIZATION_PARAMETERS } from '../endpoints/device-authorization.js';
import { DEVICE_PAGE_PARAMETERS } from '../endpoints/device-verification.js';
import { INTROSPECTION_PARAMETERS } from '../endpoints/introspection.js';
import { REVOCATION_PARAMETERS } from '../endpoints/revocation.js';
import { TOKEN_PARAMETERS } from '../endpoints/token.js';
import { ASSERTION_TYPE } from '../jwt/client-assertion.js';
import { type Definitions, GRAMMARS } from '../parameters.js';

/** Every parameter that some endpoint reads. */
type ParameterName = keyof (typeof AUTHORIZE_PARAMETERS &
  typeof TOKEN_PARAMETERS &
  typeof DEVICE_AUTHORIZATION_PARAMETERS &
  typeof DEVICE_PAGE_PARAMETERS &
  typeof INTROSPECTION_PARAMETERS &
  typeof REVOCATION_PARAMETERS);

/** One sentence on each. A parameter that an endpoint comes to read needs one here to compile. */
const TEXTS: Readonly<Record<ParameterName, string>> = {
  client_assertion: 'A JWT that the client has signed, instead of a secret (RFC 7523 §2.2).',
  client_assertion_type: 'Goes with client_assertion.',
  client_id: 'The client, where it does not name itself in the Authorization header.',
  client_secret: 'The secret of the client, where it does not stand in the Authorization header.',
  code: 'The authorization code. It works once.',
  code_challenge: 'The challenge of PKCE (RFC 7636 §4.2). Public clients need one.',
  code_challenge_method: 'How the challenge was made of the verifier.',
  code_verifier: 'What the challenge of the authorization request was made of (RFC 7636 §4.5).',
  decision: 'The button that was pressed on our page.',
  device_code: 'The code that the device was given.',
  form_token: 'Proves that the form came from our page.',
  grant_type: 'What the client shows in exchange.',
  password: 'The password of the resource owner.',
  redirect_uri: 'Where the answer goes: one of the registered addresses.',
  refresh_token: 'The refresh token. The answer may bring the next one, which takes its place.',
  resource: 'The resource that the token is for; may be repeated (RFC 8707).',
  response_type: 'What the client wants in exchange.',
  resume: 'The request that our page goes on with.',
  scope: 'Scopes, separated by spaces. Without it the default of the client holds.',
  state: 'Comes back with the answer: binds it to the browser.',
  token: 'The token.',
  token_type_hint: 'What kind of token it may be. It is found without.',
  user_code: 'The code that the device shows.',
  username: 'The user name of the resource owner.',
};

/** Values that must not be kept in logs. */
const SECRETS: ReadonlySet<string> = new Set(['client_secret', 'password']);

/** What the server's options allow as a value, where they list it. */
const valuesOf = (config: Config): Readonly<Partial<Record<string, readonly string[]>>> => ({
  response_type: RESPONSE_TYPES.filter(([, grant]) => config.grants.has(grant)).map(([type]) => type),
  code_challenge_method: config.clients.challengeMethods,
  client_assertion_type: [ASSERTION_TYPE],
  token_type_hint: ['access_token', 'refresh_token'],
});

const RESPONSE_TYPES = [
  ['code', 'authorization_code'],
  ['token', 'implicit'],
] as const;

/** Makes the schemas of single parameters and of whole forms. */
export class Forms {
  readonly #config: Config;
  readonly #values: Readonly<Partial<Record<string, readonly string[]>>>;

  constructor(config: Config) {
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

  /** A form of these parameters, less what no client can use. */
  form(definitions: Definitions, required: readonly string[]): Schema {
    const signs = this.#config.clients.authenticationMethods.includes('private_key_jwt');
    const usable = Object.entries(definitions).filter(([name]) => signs || !name.startsWith('client_assertion'));
    return {
      type: 'object',
      required,
      properties: Object.fromEntries(usable.map(([name, grammar]) => [name, this.#property(name, grammar)])),
    };
  }

  /** The same in an address. */
  parameters(definitions: Definitions, required: readonly string[]): readonly object[] {
    return Object.entries(definitions).map(([name, grammar]) => {
      const { description, ...schema } = this.#property(name, grammar);
      return { name, in: 'query', description, ...(required.includes(name) ? { required: true } : {}), schema };
    });
  }

  /** The forms of the token endpoint, by the name of their schema: one for each grant that is switched on. */
  tokenForms(): Readonly<Record<string, Schema>> {
    const on = GRANT_TYPES.filter((grant) => this.#config.grants.has(grant));
    return Object.fromEntries(
      on.flatMap((grant) => {
        const fields = GRANT_FIELDS[grant];
        if (fields === undefined) return [];
        const { required, optional } = fields;
        const names = new Set<string>(['grant_type', ...required, ...optional, ...Object.keys(CLIENT_PARAMETERS)]);
        const definitions = Object.fromEntries(Object.entries(TOKEN_PARAMETERS).filter(([name]) => names.has(name)));
        const form = this.form(definitions, ['grant_type', ...required]);
        const grantType = { grant_type: { type: 'string', enum: [grant], description: TEXTS.grant_type } };
        const schema = { ...form, properties: { ...Object(form['properties']), ...grantType } };
        return [[schemaNameOf(grant), schema] as const];
      }),
    );
  }
}

type TokenField = Exclude<keyof typeof TOKEN_PARAMETERS, 'grant_type' | keyof typeof CLIENT_PARAMETERS>;

/** What each grant reads beside what says who the client is; a grant without a form has no place at this endpoint. */
const GRANT_FIELDS: Readonly<
  Record<GrantType, { readonly required: readonly TokenField[]; readonly optional: readonly TokenField[] } | undefined>
> = {
  authorization_code: { required: ['code'], optional: ['redirect_uri', 'code_verifier', 'resource'] },
  client_credentials: { required: [], optional: ['scope', 'resource'] },
  refresh_token: { required: ['refresh_token'], optional: ['scope', 'resource'] },
  [DEVICE_CODE_GRANT]: { required: ['device_code'], optional: [] },
  password: { required: ['username', 'password'], optional: ['scope', 'resource'] },
  implicit: undefined,
};

/** `urn:ietf:params:oauth:grant-type:device_code` → `DeviceCodeRequest` */
const schemaNameOf = (grant: GrantType): string => {
  const words = (grant.split(':').at(-1) ?? grant).split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Request`;
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The body of a request: a form, of one of these kinds. */
export const formBody = (schema: Schema): object => ({ required: true, content: { [FORM_TYPE]: { schema } } });

/** One of these schemas, by their names; anything where there is none. */
export const oneOf = (names: readonly string[]): Schema =>
  names.length === 0 ? { type: 'object' } : { oneOf: names.map((name) => ref('schemas', name)) };
