/** One argument of a message: a bare text or number, or a value that says how it is to be written. */
export type MessageParam =
  | string
  | number
  | { readonly plaintext: string }
  | { readonly num: number }
  | { readonly list: readonly (string | { readonly plaintext: string })[]; readonly type: 'comma' | 'text' };

/** A message by its key, with what fills `$1`, `$2` … Clients that ask for `errorformat=raw` get exactly this. */
export interface Message {
  readonly key: MessageKey;
  readonly params: readonly MessageParam[];
}

/** The English texts. `{{PLURAL:$n|one|more}}` chooses by a number. */
const TEXTS = {
  'apierror-assertanonfailed': 'You are no longer logged out, so the action could not be completed.',
  'apierror-assertbotfailed': 'You do not have the "bot" right, so the action could not be completed.',
  'apierror-assertnameduserfailed': 'You are no longer logged in as "$1", so the action could not be completed.',
  'apierror-assertuserfailed': 'You are no longer logged in, so the action could not be completed.',
  'apierror-badbody': 'The request body was cut short.',
  'apierror-badconfig-resulttoosmall':
    'The value of the result size limit on this site is too small to hold basic result information.',
  'apierror-badcontinue': 'Invalid continue param. You should pass the original value returned by the previous query.',
  'apierror-badgenerator-notgenerator': 'Module "$1" cannot be used as a generator.',
  'apierror-badgenerator-unknown': 'Unknown "generator=$1".',
  'apierror-badip': 'IP parameter is not valid.',
  'apierror-badmodule-badsubmodule': 'The module "$1" does not have a submodule "$2".',
  'apierror-badmodule-nosubmodules': 'The module "$1" has no submodules.',
  'apierror-baddiffto': '"$1" must be set to a non-negative number, "prev", "next" or "cur".',
  'apierror-cidrtoobroad': '$1 CIDR ranges broader than /$2 are not accepted.',
  'apierror-http-contenttoolarge': 'The request body is too large.',
  'apierror-imageusage-badtitle': 'The title for "$1" must be a file.',
  'apierror-internal': '[$1] Caught exception of type Error',
  'apierror-invalidcategory': 'The category name you entered is not valid.',
  'apierror-invalidiprange': 'Invalid IP range.',
  'apierror-invalidmethod': 'Invalid HTTP method. Consider using GET or POST.',
  'apierror-invalidparammix': 'The {{PLURAL:$2|parameter|parameters}} $1 can not be used together.',
  'apierror-invalidparammix-cannotusewith': 'The "$1" parameter cannot be used with "$2".',
  'apierror-invalidparammix-mustusewith': 'The "$1" parameter may only be used with "$2".',
  'apierror-invalidtitle': 'Bad title "$1".',
  'apierror-invaliduserid': 'User ID $1 is not valid.',
  'apierror-maxlag': 'Waiting for $2: $1 {{PLURAL:$1|second|seconds}} lagged.',
  'apierror-maxlag-generic': 'Waiting for a database server: $1 {{PLURAL:$1|second|seconds}} lagged.',
  'apierror-missingparam-one-of': '{{PLURAL:$2|The parameter|One of the parameters}} $1 is required.',
  'apierror-module-disabled': 'The "$1" module has been disabled.',
  'apierror-modulefailed': 'The module "$1" could not answer.',
  'apierror-moduletimeout': 'The module "$1" did not answer in time.',
  'apierror-mwoauth-invalid-authorization': 'The authorization headers in your request are not valid: $1',
  'apierror-nosuchpageid': 'There is no page with ID $1.',
  'apierror-paramempty': 'The parameter "$1" may not be empty.',
  'apierror-permissiondenied': "You don't have permission to $1.",
  'apierror-preload-onepage':
    'Multiple pages or revisions were supplied, but "inprop=preloadcontent" and "inprop=editintro" may only be used with a single page and revision.',
  'apierror-readapidenied': 'You need read permission to use this module.',
  'apierror-show': 'Incorrect parameter - mutually exclusive values may not be supplied.',
  'apierror-siteinfo-includealldenied': 'The database servers of this site are not shown one by one.',
  'apierror-storeaway': 'The service cannot check who you are at the moment. Please try again shortly.',
  'apierror-revisions-norevids':
    'The "revids" parameter may not be used with the list options ("$1limit", "$1startid", "$1endid", "$1dir=newer", "$1user", "$1excludeuser", "$1start", and "$1end").',
  'apierror-revisions-singlepage':
    '"titles", "pageids" or a generator was used to supply multiple pages, but the "$1limit", "$1startid", "$1endid", "$1dir=newer", "$1user", "$1excludeuser", "$1start", and "$1end" parameters may only be used on a single page.',
  'apierror-badparams-mode12': 'The "$1" parameter cannot be used in modes 1 or 2.',
  'apierror-badparams-mode3': 'The "$1" parameter cannot be used in mode 3.',
  'apierror-allpages-generator-redirects':
    'Use "gapfilterredir=nonredirects" instead of "redirects" when using "allpages" as a generator.',
  'apiwarn-badutf8':
    'The value passed for "$1" contains invalid or non-normalized data. Textual data should be valid, NFC-normalized Unicode without C0 control characters other than HT (\\t), LF (\\n), and CR (\\r).',
  'apiwarn-badwrongresult': 'The module "$1" gave a result of the wrong shape, which was left out.',
  'apiwarn-deprecation-deletedrevs':
    '"list=deletedrevs" has been deprecated. Please use "prop=deletedrevisions" or "list=alldeletedrevisions" instead.',
  'apiwarn-deprecation-help':
    'Subscribe to the mediawiki-api-announce mailing list at <https://lists.wikimedia.org/postorius/lists/mediawiki-api-announce.lists.wikimedia.org/> for notice of API deprecations and breaking changes.',
  'apiwarn-deprecation-missingparam':
    'Because "$1" was not specified, a legacy format has been used for the output. This format is deprecated, and in the future the new format will always be used.',
  'apiwarn-deprecation-module': 'The module "$1" has been deprecated.',
  'apiwarn-deprecation-parameter': 'The parameter "$1" has been deprecated.',
  'apiwarn-deprecation-post-without-content-type':
    'A POST request was made without a "Content-Type" header. This does not work reliably.',
  'apiwarn-deprecation-withvalue': 'The value "$2" to parameter "$1" has been deprecated.',
  'apiwarn-nohandler': 'This site has no content for the module "$1".',
  'apiwarn-redirectsandrevids':
    'Redirect resolution cannot be used together with the "revids" parameter. Any redirects the "revids" point to have not been resolved.',
  'apiwarn-tokens-origin': 'Tokens may not be obtained when the same-origin policy is not applied.',
  'apiwarn-truncatedresult':
    'This result was truncated because it would otherwise be larger than the limit of $1 {{PLURAL:$1|byte|bytes}}.',
  'apierror-unrecognizedparams': 'Unrecognized {{PLURAL:$2|parameter|parameters}}: $1.',
  'apiwarn-unsupportedarray': 'Parameter "$1" uses unsupported PHP array syntax.',
  'apiwarn-ignoring-invalid-templated-value': 'Ignoring value "$2" in "$1" when processing templated parameters.',
  'apierror-permissiondenied-patrolflag': 'You need the "patrol" or "patrolmarks" right to request the patrolled flag.',
  'apierror-mustbeloggedin-uploadstash': 'The upload stash is only available to logged-in users.',
  'apierror-mustbeloggedin-watchlist': 'Please log in to view or edit items on your watchlist.',
  'apierror-mustbeloggedin-generic': 'You must be logged in.',
  'apierror-invalidsha1hash': 'The SHA1 hash provided is not valid.',
  'apierror-invalidsha1base36hash': 'The SHA1Base36 hash provided is not valid.',
  'apiwarn-errorprinterfailed': 'Error printer failed. Will retry without params.',
  'apiwarn-handler': '$1',
  'apiwarn-invalidcategory': '"$1" is not a category.',
  'apiwarn-notfile': '"$1" is not a file.',
  'paramvalidator-badinteger': 'Invalid value "$2" for integer parameter "$1".',
  'paramvalidator-badtimestamp': 'Invalid value "$2" for timestamp parameter "$1".',
  'paramvalidator-badtitle': 'Bad title "$2".',
  'paramvalidator-baduser': 'Invalid value "$2" for user parameter "$1".',
  'paramvalidator-badvalue-enumnotmulti': 'Unrecognized value for parameter "$1": $2.',
  'paramvalidator-missingparam': 'The "$1" parameter must be set.',
  'paramvalidator-notmulti':
    'Parameter "$1" accepts only a single value. U+001F multi-value separation may only be used for multi-valued parameters. ',
  'paramvalidator-outofrange-max': 'The value "$2" for parameter "$1" must be no greater than $4.',
  'paramvalidator-outofrange-min': 'The value "$2" for parameter "$1" must be no less than $3.',
  'paramvalidator-outofrange-minmax': 'The value "$2" for parameter "$1" must be between $3 and $4.',
  'paramvalidator-toomanyvalues': 'Too many values supplied for parameter "$1". The limit is $2.',
  'paramvalidator-unclearnowtimestamp':
    'Passing "$2" for timestamp parameter "$1" has been deprecated. If for some reason you need to explicitly specify the current time without calculating it client-side, use "now".',
  'paramvalidator-unrecognizedvalues': 'Unrecognized {{PLURAL:$4|value|values}} for parameter "$1": $3',
} as const;

export type MessageKey = keyof typeof TEXTS;

export const message = (key: MessageKey, ...params: readonly MessageParam[]): Message => ({ key, params });

/** A list argument that reads `a, b`. */
export const commaList = (values: readonly string[]): MessageParam => ({
  list: values.map((value) => ({ plaintext: value })),
  type: 'comma',
});

/** A list argument that reads `"a", "b" and "c"`: names of parameters. */
export const nameList = (names: readonly string[]): MessageParam => ({
  list: names.map((name) => `"${name}"`),
  type: 'text',
});

/** The English sentence of a message, as plain text. */
export function plainText(text: Message): string {
  return fill(text, (value) => value);
}

/** The English sentence for an answer in plain text: what it echoes has lost its markup, and spaces come one by one. */
export function strippedText(text: Message): string {
  return fill(text, (value) => value.replace(/<\/?[a-zA-Z][^<>]*>/g, ''))
    .replace(/[ \t\r\n]+/g, ' ')
    .trim();
}

/** The English sentence as HTML: what comes from the request is escaped. */
export function htmlText(text: Message): string {
  return fill(text, escapeHtml, escapeHtml);
}

/** Escapes a text for HTML content. Quotation marks stay: the result never stands in an attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function fill(
  { key, params }: Message,
  escape: (value: string) => string,
  escapeTemplate: (template: string) => string = (template) => template,
): string {
  return escapeTemplate(TEXTS[key])
    .replace(/\{\{PLURAL:\$(\d)\|([^|}]*)\|([^}]*)\}\}/g, (_match, index: string, one: string, more: string) =>
      count(params[Number(index) - 1]) === 1 ? one : more,
    )
    .replace(/\$(\d)/g, (_match, index: string) => escape(write(params[Number(index) - 1] ?? '')));
}

function count(param: MessageParam | undefined): number {
  if (typeof param === 'number') return param;
  return typeof param === 'object' && 'num' in param ? param.num : 0;
}

function write(param: MessageParam): string {
  if (typeof param === 'string') return param;
  if (typeof param === 'number') return String(param);
  if ('plaintext' in param) return param.plaintext;
  if ('num' in param) return withThousands(param.num);
  const items = param.list.map(write);
  if (param.type === 'comma' || items.length < 2) return items.join(', ');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

const withThousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
