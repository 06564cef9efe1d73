import type { PluralText } from '../core/base/pages/languages/english.js';

const plural = (one: string, other: string): PluralText => ({ one, other });

/** The English texts of the page for administrators. */
export const ADMIN_TEXTS = {
  clients: 'Clients',
  searchClients: 'Search by name or identifier',
  search: 'Search',
  addClient: 'Add a client',
  noClients: 'There are no clients yet.',
  noneFound: 'No client was found.',
  nextPage: 'Next page',
  searchFurther: 'Search further',
  allClients: 'All clients',
  public: 'Public',
  confidential: 'Confidential',
  disabled: 'Disabled',
  changedOn: 'Changed on {date}',

  keepsSecret: 'Can it keep a secret?',
  isConfidential: 'Yes: it runs on a server, and gets a secret',
  isPublic: 'No: it is a single-page, mobile or desktop app',
  identifier: 'Identifier',
  identifierHint: 'Empty for a random one.',
  name: 'Name',
  nameHint: 'Shown to users who are asked for consent.',
  redirectUris: 'Redirect URIs',
  onePerLine: 'One on each line.',
  grantTypes: 'Grant types',
  grantTypesHint: 'One on each line, such as {examples}. Empty for the usual ones.',
  scopes: 'Scopes',
  scopesHint: 'Separated by spaces. Empty for all.',
  logo: 'Logo',
  add: 'Add client',
  save: 'Save changes',

  secret: 'Secret',
  newSecret: 'New secret',
  copySecret: 'Copy the secret now. It will not be shown again.',
  toClient: 'Go to the client',
  staysValid: 'Validity of the present secret',
  hours: plural('{count} hour', '{count} hours'),
  noLonger: 'ends now',
  createSecret: 'Create a new secret',

  grants: 'Grants',
  noGrants: 'No user has connected this client.',
  since: 'Since {date}',
  lastUsed: 'Last used on {date}',
  end: 'End',
  moreGrants: 'More grants',

  endAccess: 'End access',
  disable: 'Disable the client',
  enable: 'Enable the client',
  endAll: 'End all grants',
  removeClient: 'Remove the client',
  askDisable: 'Disable {client}?',
  disableEnds: 'The client is rejected everywhere, and its tokens stop working, until you enable it again.',
  askRemove: 'Remove {client}?',
  removeEnds: 'The client, its grants and its tokens end immediately. This cannot be undone.',
  askEndAll: 'End all grants of {client}?',
  endAllEnds: 'All tokens of the client stop working immediately. Its users have to connect it again.',
  askEnd: 'End this grant of {client}?',
  endEnds: 'The tokens of this grant stop working immediately.',
  added: 'The client was added.',
  saved: 'Your changes were saved.',
  nowDisabled: 'The client is disabled.',
  nowEnabled: 'The client is enabled.',
  allEnded: 'All grants of the client have ended.',
  ended: 'The grant has ended.',

  notAdmin: 'This page is for administrators',
  notAdminHint: 'Sign in with an account that may manage clients.',
};

/** The name of a text of the page for administrators. */
export type AdminTextName = keyof typeof ADMIN_TEXTS;

/** These texts in another language. */
export type AdminTexts = {
  readonly [Name in AdminTextName]: (typeof ADMIN_TEXTS)[Name] extends string ? string : PluralText;
};
