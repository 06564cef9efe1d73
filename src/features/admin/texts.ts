/** The forms of a language's plural; each has `other`. */
interface PluralText {
  readonly other: string;
  readonly [form: string]: string;
}

const plural = (one: string, other: string): PluralText => ({ one, other });

/** The English texts of the page for administrators. */
export const ADMIN_TEXTS = {
  clients: 'Manage clients',
  searchClients: 'Search by name or identifier',
  search: 'Search',
  addClient: 'Add a client',
  noClients: 'There are no clients yet.',
  noneFound: 'No clients found.',
  nextPage: 'Next page',
  searchFurther: 'Search more clients',
  allClients: 'All clients',
  public: 'Public',
  confidential: 'Confidential',
  disabled: 'Disabled',
  changedOn: 'Changed on {date}',

  inConfiguration: 'In the configuration',
  inConfigurationHint: 'These clients are part of the server’s configuration, and can only be changed there.',

  clientType: 'Client type',
  isConfidential: 'Confidential: runs on a server and has a secret',
  isPublic: 'Public: a single-page, mobile or desktop app',
  identifier: 'Identifier',
  identifierHint: 'Leave empty to generate one.',
  name: 'Name',
  nameHint: 'Shown to users who are asked for consent.',
  redirectUris: 'Redirect URIs',
  onePerLine: 'One on each line.',
  keysAddress: 'Address of its public keys',
  keysAddressHint: 'Only for a client that signs with its own keys, in place of a secret.',
  grantTypes: 'Grant types',
  scopes: 'Scopes',
  allScopes: 'All scopes, including future ones',
  forSignIn: 'Users sign in in a browser',
  forRefresh: 'Stays connected after the sign-in',
  forItself: 'Acts on its own behalf, without a user',
  forDevices: 'Runs on devices without a browser',
  forPasswords: 'Takes users’ passwords (not recommended)',
  forFragments: 'Gets tokens in the address (not recommended)',
  forResourceServers: 'For an API',
  introspects: 'Sees every token, not only its own',
  servedResources: 'Resources that it serves',
  servedResourcesHint: 'One URL on each line. If there are any, it only sees tokens for them.',
  exchangeResources: 'Resources for which it may exchange tokens',
  exchangeResourcesHint: 'One URL on each line.',
  logo: 'Logo',
  add: 'Add client',
  save: 'Save changes',

  checkFields: 'Check the marked fields.',
  wrongRedirectUri:
    '{value} cannot be a redirect URI. Enter https addresses, http addresses of the user’s own computer such as http://127.0.0.1/callback, or addresses of an app such as com.example.app:/callback.',
  noRedirectUri: 'Enter at least one redirect URI, because users sign in to this client.',
  wrongIdentifier: 'Use letters without accents, digits and punctuation, at most 512 characters.',
  takenIdentifier: 'Another client has this identifier.',
  wrongName: 'Enter a name of at most 100 characters.',
  wrongAddress: 'Enter an address that begins with https://.',
  keysOrSecret: 'A client has a secret, or the address of its keys, or is public. For another kind, add a new client.',
  noGrantType: 'Select at least one grant type.',
  needsSecret: 'A public client has no secret, so it cannot act on its own behalf.',
  introspectNeedsSecret: 'Only a client with a secret or keys can see other tokens.',
  noScope: 'Select at least one scope.',
  unknownScope: 'This server has no scope {value}. Save the client without it.',
  changedMeanwhile:
    'The client was changed in the meantime, and nothing was saved. Open it again, then make your changes.',
  wrongClient: 'The server would not accept this client.',

  secret: 'Secret',
  newSecret: 'New secret',
  copySecret: 'Copy the secret now. It will not be shown again.',
  toClient: 'Go to the client',
  staysValid: 'Keep the current secret valid for',
  hours: plural('{count} hour', '{count} hours'),
  noLonger: 'expires immediately',
  createSecret: 'Create a new secret',

  grants: 'Grants',
  noGrants: 'No user has connected this client.',
  since: 'Since {date}',
  lastUsed: 'Last used on {date}',
  end: 'Revoke',
  moreGrants: 'More grants',

  endAccess: 'Access',
  disable: 'Disable the client',
  enable: 'Enable the client',
  endAll: 'Revoke all grants',
  removeClient: 'Remove the client',
  askDisable: 'Disable {client}?',
  disableEnds: 'The client is rejected everywhere, and its tokens stop working, until you enable it again.',
  askRemove: 'Remove {client}?',
  removeEnds: 'The client, its grants and its tokens end immediately. This cannot be undone.',
  askEndAll: 'Revoke all grants of {client}?',
  endAllEnds: 'All tokens of the client stop working immediately. Its users have to connect it again.',
  askEnd: 'Revoke this grant of {client}?',
  endEnds: 'The tokens of this grant stop working immediately.',
  added: 'The client was added.',
  saved: 'Your changes were saved.',
  nowDisabled: 'The client is disabled.',
  nowEnabled: 'The client is enabled.',
  allEnded: 'All grants of this client were revoked.',
  ended: 'The grant was revoked.',

  notAdmin: 'This page is for administrators',
  notAdminHint: 'Sign in with an account that may manage clients.',
};

/** The name of a text of the page for administrators. */
export type AdminTextName = keyof typeof ADMIN_TEXTS;

/** These texts in another language. */
export type AdminTexts = {
  readonly [Name in AdminTextName]: (typeof ADMIN_TEXTS)[Name] extends string ? string : PluralText;
};
