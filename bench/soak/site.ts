/** What the processes of the soak and its visitors know. */

/** The issuer of all processes: the address of the load balancer in front of them. */
export const ISSUER = 'https://soak.example';

export const REDIRECT_URI = 'https://app.example/callback';

export interface Owner {
  readonly username: string;
  readonly password: string;
}

/** Many, because a name has few slots for attempts under way. */
export const OWNERS: readonly Owner[] = Array.from({ length: 1000 }, (_, n) => ({
  username: `owner${n}`,
  password: `password of ${n}`,
}));

export const ADMIN: Owner = { username: 'admin', password: 'password of admin' };

export const secretOf = (client_id: string): string => `the-public-secret-of-${client_id}`;

/** A client that is known by its document. */
export const DOCUMENT = {
  client_id: 'https://app.example/client.json',
  client_name: 'An assistant',
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
};
