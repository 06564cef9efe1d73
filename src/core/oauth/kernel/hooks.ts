import type { HttpRequest } from '../../base/http/messages.js';
import type {
  AuthorizationPart,
  ClientsPart,
  EndedPart,
  IntrospectionPart,
  OwnersPart,
  Parts,
} from '../../feature/parts.js';

/** What all features together change in the requests of the authorization server. What no feature has is absent, so that it costs a request nothing. */
export interface OAuthHooks
  extends
    AuthorizationPart,
    Omit<ClientsPart, 'find'>,
    EndedPart,
    IntrospectionPart,
    Pick<Parts, 'began' | 'metadata'> {
  /** Further published keys. */
  readonly publicKeys?: Parts['keys'];
  /** What each feature stores about owners. */
  readonly ownerData?: readonly OwnerData[];
  /** Pages of features about the owner's account. */
  readonly accountPages?: readonly AccountPage[];
}

/** A page of the owner's account, as other pages link to it. */
export interface AccountPage {
  /** On its host. */
  readonly path: string;
  /** The text of the link, in the language of the request. */
  readonly text: (request: HttpRequest) => string;
}

/** What a feature stores about owners, with its name. */
export interface OwnerData extends OwnersPart {
  readonly feature: string;
}

type Hook<Name extends keyof OAuthHooks> = NonNullable<OAuthHooks[Name]>;

const merged = <Part extends object>(parts: readonly Part[]): Part => Object.assign({}, ...parts);

const readByAll =
  (hooks: readonly Hook<'readRequest'>[]): Hook<'readRequest'> =>
  async (asked) => {
    const read = await Promise.all(hooks.map(async (hook) => hook(asked)));
    const signIns = read.flatMap(({ signIn }) => signIn ?? []);
    const kept = merged(read.map((one) => one.kept ?? {}));
    return {
      ...merged(read), // Only one feature returns claims.
      ...(signIns.length > 0 && { signIn: merged(signIns) }),
      ...(Object.keys(kept).length > 0 && { kept }),
    };
  };

/** The hooks of several features as one. */
export const joinHooks = (all: readonly Parts<unknown>[]): OAuthHooks => {
  const each = all.map(({ authorization, clients, began, ended, introspection, metadata, keys }): OAuthHooks => ({
    ...authorization,
    ...clients,
    ...ended,
    ...introspection,
    began,
    metadata,
    publicKeys: keys,
  }));
  const joined = <Name extends keyof OAuthHooks>(
    name: Name,
    join: (hooks: readonly Hook<Name>[]) => Hook<Name>,
  ): Pick<OAuthHooks, Name> => {
    const hooks = each.flatMap((one): Hook<Name>[] => (one[name] === undefined ? [] : [one[name] as Hook<Name>])); // It is not undefined.
    const [only] = hooks;
    return (only === undefined ? {} : { [name]: hooks.length === 1 ? only : join(hooks) }) as Pick<OAuthHooks, Name>;
  };
  return {
    ...joined('parameters', merged),
    ...joined('pushedRequest', (hooks) => (form) => hooks.flatMap((hook) => hook(form) ?? [])[0]),
    ...joined('ownMetadata', (hooks) => (given, uris) => merged(hooks.map((read) => read(given, uris)))),
    ...joined('authenticate', (hooks) => async (call) => {
      for (const authenticate of hooks) {
        const client_id = await authenticate(call);
        if (client_id !== undefined) return client_id;
      }
      return undefined;
    }),
    ...joined('isInFragment', (hooks) => (form, client) => hooks.some((is) => is(form, client))),
    ...joined(
      'askedScope',
      (hooks) => (asked) => hooks.reduce((scopes, hook) => hook({ ...asked, scopes }), asked.scopes),
    ),
    ...joined('readRequest', readByAll),
    ...joined('claimsOf', (hooks) => (scopes) => hooks.flatMap((hook) => hook(scopes))),
    ...joined('describeClaims', (hooks) => (names, locale) => hooks.flatMap((hook) => hook(names, locale))),
    ...joined('checkOwner', (hooks) => (owner, scope) => {
      for (const check of hooks) check(owner, scope);
    }),
    ...joined('keepOfSession', (hooks) => (session, scope) => merged(hooks.map((keep) => keep(session, scope)))),
    ...joined('began', (hooks) => async (session, call) => {
      await Promise.all(hooks.map((hook) => hook(session, call)));
    }),
    ...joined('beforeSignOut', (hooks) => async (ending, emit) => {
      const after = await Promise.all(hooks.map((hook) => hook(ending, emit)));
      return () => {
        for (const tell of after) tell();
      };
    }),
    ...joined('beforeEnd', (hooks) => async (grants) => {
      await Promise.all(hooks.map((hook) => hook(grants)));
    }),
    ...joined('introspected', (hooks) => async (asked) => {
      for (const hook of hooks) {
        const response = await hook(asked);
        if (response !== undefined) return response;
      }
      return undefined;
    }),
    ...joined('metadata', (hooks) => (issuer) => merged(hooks.map((hook) => hook(issuer)))),
    ...joined('publicKeys', (hooks) => async () => (await Promise.all(hooks.map((hook) => hook()))).flat()),
  };
};
