import { fail, option } from '../../core/feature/index.js';

/** What a client may exchange. */
export interface ExchangingClient {
  /** The resources that its tokens may be for, as `options.resources` names them. */
  readonly resources: readonly string[];
  /** Whether it may also exchange tokens that were issued to it, and not only those that are meant for it. Default: `false`. */
  readonly own?: boolean;
  /** Whether its tokens hide that it acts for the owner, as if the owner had come without it. Default: `false`. */
  readonly impersonate?: boolean;
  /** Scopes that a token gets for a scope of the exchanged token: `{ 'notes.read': ['api.read'] }`. The client must have them registered. */
  readonly translate?: Readonly<Record<string, readonly string[]>>;
}

/** Options of {@link tokenExchange}. */
export interface TokenExchangeOptions {
  /**
   * For each client, by its `client_id`, the resources for which it may exchange tokens. All others may exchange nothing, unless their registration
   * has `exchange_resources`.
   */
  readonly from?: Readonly<Record<string, readonly string[] | ExchangingClient>>;
  /** How many times a token may be exchanged, one exchange after the other: default 4, 1 to 8. */
  readonly depth?: number | undefined;
}

const resources = option.refined(option.listOf('an array of resources', option.text('a resource')), (given, path) =>
  given.length > 0 ? given : fail(`${path} is an empty list. Name a resource, or remove the client.`),
);

const scopes = option.refined(option.listOf('an array of scopes', option.text('a scope', /^\S+$/)), (given, path) =>
  given.length > 0 ? given : fail(`${path} is an empty list. Name a scope, or remove it.`),
);

const CLIENT = option.object(
  {
    resources: option.required(resources),
    own: option.neverUndefined(option.flag(false)),
    impersonate: option.neverUndefined(option.flag(false)),
    translate: option.neverUndefined(
      option.mapOf("an object of scopes, such as { 'notes.read': ['api.read'] }", scopes),
    ),
  } satisfies option.Schema<ExchangingClient>,
  { takes: 'an object with resources' },
);

/** The table of options. */
export const EXCHANGE_OPTIONS = option.required(
  option.object(
    {
      from: option.neverUndefined(
        option.mapOf(
          "an object of clients and their resources, such as { notes: ['https://api.example'] }",
          option.either(resources, CLIENT),
        ),
      ),
      depth: option.wholeNumber(4, 1, 8),
    } satisfies option.Schema<TokenExchangeOptions>,
    { takes: 'an object of options' },
  ),
);

/** The options, validated. */
export type Checked = ReturnType<typeof EXCHANGE_OPTIONS.read>;
