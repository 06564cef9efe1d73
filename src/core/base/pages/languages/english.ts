/** A text with a `{count}`, for each plural form that the language has (`Intl.PluralRules`). */
export interface PluralText {
  /** For zero, if the language has such a form, as Arabic does. */
  readonly zero?: string;
  /** For one, and numbers that the language treats alike. */
  readonly one?: string;
  /** For two. */
  readonly two?: string;
  /** For a few, such as 3 to 10 in Arabic. */
  readonly few?: string;
  /** For many, such as 11 to 99 in Arabic. */
  readonly many?: string;
  /** For every other number. */
  readonly other: string;
}

/** English has two forms. */
const plural = (one: string, other: string): PluralText => ({ one, other });

const texts = {
  // every page
  help: 'Help',
  privacy: 'Privacy',
  terms: 'Terms',
  backTo: 'Back to {name}',
  startAgain: 'Start again',
  signedInAs: 'You are signed in as {user}.',
  signOut: 'Sign out',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied.',

  // the sign-in page
  signIn: 'Sign in',
  signInTo: 'Sign in with your account at {site}.',
  signInToContinue: 'Sign in with your account at {site} to continue to {client}.',
  userName: 'Username',
  password: 'Password',
  continueAs: 'Continue as {user}',
  useAnotherAccount: 'Or sign in with another account:',
  askSignOut: 'Sign out {name}?',
  signOutAsked: 'An application has requested that you sign out.',
  showPassword: 'Show password',
  forgotPassword: 'Forgot your password?',
  createAccount: 'Create an account',

  // the consent page
  allowClient: 'Allow {client} to access your account?',
  clientWants: '{client} would like to:',
  clientWantsSignIn: '{client} only wants to confirm that you are signed in.',
  accessTo: 'This access is for {resource}.',
  allow: 'Allow',
  deny: 'Deny',
  switchAccount: 'Sign out and use another account',
  selfRegistered: 'This application registered itself, so its name is not verified.',
  trustHost: 'Only allow this if you trust {host}.',
  describedAt: 'This application is described by a document at {host}. Its name is not verified.',
  justStarted: 'Only allow this if you have just started the application on this computer.',
  anyProgram: 'Any program on this computer could use its name.',
  about: 'About this application, at {host}:',
  website: 'Website',
  privacyPolicy: 'Privacy policy',
  termsOfService: 'Terms of service',
  returnsTo: 'After you decide, you return to {host}.',
  changeLater: 'You can change this later under {page}.',

  // the device pages
  connectDevice: 'Connect a device',
  enterCode: 'Enter the code shown on your device.',
  code: 'Code',
  codeHint: 'You can leave out the hyphen and use small letters.',
  continue: 'Continue',
  codeOnDevice: 'Code on your device',
  fingerprint: 'Fingerprint of your device, if it shows one',
  yourDeviceOnly: 'Only allow this if you see this code on a device in front of you.',
  codeWasSent: 'If someone sent you this code, deny the request. Otherwise, they will get access to your account.',
  deviceConnected: 'Device connected',
  clientConnected: '{client} is connected. You can close this page and continue on your device.',
  deviceNotConnected: 'Device not connected',
  clientNotConnected: '{client} was not connected. You can close this page.',
  connectAnother: 'Connect another device',

  // the page of connected applications
  connectedApps: 'Connected applications',
  noApps: 'No application has access to your account.',
  apps: plural(
    '{count}\u00a0application has access to your account.',
    '{count}\u00a0applications have access to your account.',
  ),
  knowsSignIn: 'It can see that you are signed in.',
  connectedOn: 'Connected on {date}.',
  connectedBy: 'Connected by {host}, not by you. It can be connected again from there.',
  alsoConnectedBy: 'Also connected by {host}. It can be connected again from there.',
  lastUsedOn: 'Last used on {date}.',
  disconnect: 'Disconnect',
  disconnectAll: 'Disconnect all applications',
  askDisconnect: 'Disconnect {client}?',
  askDisconnectAll: plural('Disconnect {count}\u00a0application?', 'Disconnect all {count}\u00a0applications?'),
  accessEnds: 'Access to your account ends immediately. You can connect again at any time.',
  disconnected: '{client} no longer has access to your account.',
  disconnectedAll: plural(
    '{count}\u00a0application no longer has access to your account.',
    '{count}\u00a0applications no longer have access to your account.',
  ),

  // the page of personal tokens
  personalTokens: 'Personal tokens',
  tokensExplained: 'A token gives a script or an assistant access to your account. Keep it secret, like a password.',
  noTokens: 'You have no tokens.',
  newToken: 'New token',
  tokenName: 'Name',
  tokenNameHint: 'What the token is for, such as “Backup script”.',
  tokenScopes: 'Permissions',
  tokenExpiry: 'Expires after',
  days: plural('{count}\u00a0day', '{count}\u00a0days'),
  createToken: 'Create token',
  yourToken: 'Your new token',
  copyToken: 'Copy the token now. It will not be shown again.',
  createdOn: 'Created on {date}.',
  expiresOn: 'Expires on {date}.',
  neverUsed: 'Never used.',
  endToken: 'Revoke',
  endAllTokens: 'Revoke all tokens',
  askEndToken: 'Revoke {name}?',
  askEndAllTokens: plural('Revoke {count}\u00a0token?', 'Revoke all {count}\u00a0tokens?'),
  tokenEnds: 'Everything that uses a revoked token stops working immediately.',
  tokenEnded: '{name} no longer works.',
  tokensEnded: plural('{count}\u00a0token no longer works.', '{count}\u00a0tokens no longer work.'),

  // errors: the first line is the heading, the second says what to do
  inDevelopment: 'Shown only in development:',
  reference: 'Reference: {reference}',
  wrong_credentials: 'Incorrect username or password.',
  wrong_code: 'This code is wrong or has expired. Check your device and enter the code again.',
  no_token_name: 'Enter a name of at most 100 characters.',
  no_token_scope: 'Select at least one permission.',
  too_many_tokens: 'You have reached the maximum number of tokens. Revoke one first.',
  token_already_created:
    'This token has been created already. If you have not copied it, revoke it and create another.',
  form_expired: 'This form has expired.\nIt may also have been opened in another browser. Start again.',
  too_many_attempts: plural(
    'Too many attempts.\nTry again in {count}\u00a0minute.',
    'Too many attempts.\nTry again in {count}\u00a0minutes.',
  ),
  already_answered: 'You have already answered this request.\nGo back to the application.',
  device_already_answered: 'You have already answered the request of this device.',
  no_decision: 'Nothing was selected.\nAllow or deny the request.',
  nothing_chosen: 'Nothing was selected.\nUse one of the buttons on the page.',
  missing_client_id: 'The link that brought you here does not say which application it is for.',
  unknown_client: 'The application that brought you here is not known.',
  unknown_registration:
    'The application that brought you here is no longer known.\nRemove the connection in the application and connect again.',
  client_unavailable: 'The application that brought you here cannot be checked at the moment.\nTry again in a minute.',
  client_refused: 'The application that brought you here is not accepted by this server.',
  client_changed: 'The application that brought you here is no longer known.',
  missing_redirect_uri: 'The link that brought you here does not say where to return to.',
  unregistered_redirect_uri:
    'The application that brought you here is not set up correctly.\nIt wants to send you to an address that it has not registered.',
  expired_request: 'This took too long, or the link is damaged.\nGo back to the application and start again.',
  invalid_request: 'The link or the form that brought you here is damaged.',
  method_not_allowed: 'This page cannot be reloaded.',
  server_error: 'The server could not handle this request.',
  temporarily_unavailable: 'The server cannot answer right now.\nTry again in a few minutes.',
};

/** The name of a text of the pages. Those with an underscore are the problem codes in views. */
export type PageTextName = keyof typeof texts;

/** All texts of the pages in one language. Each text has the same placeholders in braces as the English one. */
export type PageTexts = {
  readonly [Name in PageTextName]: (typeof texts)[Name] extends string ? string : PluralText;
};

/** The problem codes of views. */
export type PageProblemCode = Extract<PageTextName, `${string}_${string}`>;

/** The texts of the pages of a feature, by name. */
export type FeatureTexts = Readonly<Record<string, string | PluralText>>;

/** A language of the pages, as a value: `languages: [german, english]`. */
export interface PageLanguage {
  /** A BCP 47 tag, such as `pt-BR`. */
  readonly locale: string;
  /** The texts of all pages. */
  readonly texts: PageTexts;
  /** The texts of pages that entries of their own provide. Such a page is in English if its texts are absent. */
  readonly features?: {
    /** The page for administrators: `adminPages`. */
    readonly admin?: FeatureTexts;
    /** The page of the user's sessions: `sessions`. */
    readonly sessions?: FeatureTexts;
    /** The help of the query API, and its `sandbox`. */
    readonly api?: FeatureTexts;
    /** Those of other features, by their name. */
    readonly [feature: string]: FeatureTexts | undefined;
  };
}

/** English (`en`): the pages are in English unless the option `languages` names others, and its texts are the basis of every translation. */
export const english: PageLanguage = { locale: 'en', texts };
