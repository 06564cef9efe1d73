import { Html } from '../../base/html.js';

/** A message parameter: a text or number, or a value with its own format. */
export type MessageParam =
  | string
  | number
  | { readonly plaintext: string }
  | { readonly num: number }
  | { readonly list: readonly (string | { readonly plaintext: string })[]; readonly type: 'comma' | 'text' };

/** A message key with the values of `$1`, `$2` … Clients receive exactly this with `errorformat=raw`. */
export interface Message {
  readonly key: MessageKey;
  readonly params: readonly MessageParam[];
}

/** The type contains the keys only, so that the published declarations do not contain the texts. */
const byKey = <Key extends string>(texts: Readonly<Record<Key, string>>): Readonly<Record<Key, string>> => texts;

/** The English texts. `{{PLURAL:$n|one|more}}` depends on a number. */
const TEXTS = byKey({
  'apierror-assertanonfailed': 'You are no longer logged out, so the action could not be completed.',
  'apierror-assertbotfailed': 'You do not have the "bot" right, so the action could not be completed.',
  'apierror-assertnameduserfailed': 'You are no longer logged in as "$1", so the action could not be completed.',
  'apierror-assertuserfailed': 'You are no longer logged in, so the action could not be completed.',
  'apierror-badbody': '$1',
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
  'apierror-compare-relative-to-nothing': 'No "from" revision for "torelative" to be relative to.',
  'apierror-comparetoolarge': 'A text to compare is longer than $1 characters or $2 lines. Compare shorter texts.',
  'apierror-exporttoolarge':
    'The texts of these pages are longer than $1 bytes together. Name fewer pages, or lower the limit of the generator.',
  'apierror-http-contenttoolarge': 'The request body is too large.',
  'apierror-htmltoolarge':
    'The HTML of this page is longer than $1 characters, has more than $2 tags, attributes and character references, or is nested more than $3 elements deep. Use "section" for a part of the page, or "prop=wikitext" for its text.',
  'apierror-imageusage-badtitle': 'The title for "$1" must be a file.',
  'apierror-internal': '[$1] Caught exception of type Error',
  'apierror-invalidcategory': 'The category name you entered is not valid.',
  'apierror-invalidiprange': 'Invalid CIDR range "$1".',
  'apierror-invalidmethod': 'Invalid HTTP method. Consider using GET or POST.',
  'apierror-invalidparammix': 'The {{PLURAL:$2|parameter|parameters}} $1 can not be used together.',
  'apierror-invalidparammix-cannotusewith': 'The "$1" parameter cannot be used with "$2".',
  'apierror-invalidparammix-mustusewith': 'The "$1" parameter may only be used with "$2".',
  'apierror-invalidtitle': 'Bad title "$1".',
  'apierror-invaliduserid': 'User ID "$1" is not valid.',
  'apierror-missingcontent-pageid': 'Missing content for page ID $1.',
  'apierror-missingcontent-revid': 'Missing content for revision ID $1.',
  'apierror-missingparam-at-least-one-of': '{{PLURAL:$2|The parameter|At least one of the parameters}} $1 is required.',
  'apierror-missingparam-one-of': '{{PLURAL:$2|The parameter|One of the parameters}} $1 is required.',
  'apierror-module-disabled': 'The "$1" module has been disabled.',
  'apierror-modulefailed': 'The module "$1" could not answer.',
  'apierror-moduletimeout': 'The module "$1" did not answer in time.',
  'apierror-mwoauth-invalid-authorization': 'The authorization headers in your request are not valid: $1',
  'apierror-missingtitle': "The page you specified doesn't exist.",
  'apierror-nodiff': 'This site cannot compare texts.',
  'apierror-nosanitizer': 'This site cannot sanitise the HTML of its pages.',
  'apierror-norenderer':
    'This site does not render pages to HTML, so "$1" is not available. Use "prop=wikitext" for the stored text.',
  'apierror-nosuchpageid': 'There is no page with ID $1.',
  'apierror-nosuchrevid': 'There is no revision with ID $1.',
  'apierror-nosuchsection-what': 'There is no section $1 in $2.',
  'apierror-opensearch-json-warnings': 'Warnings cannot be represented in OpenSearch JSON format.',
  'apierror-paramempty': 'The parameter "$1" may not be empty.',
  'apierror-parsetoolarge': 'The text is longer than $1 characters. Send a shorter one.',
  'apierror-permissiondenied': "You don't have permission to $1.",
  'apierror-preload-onepage':
    'Multiple pages or revisions were supplied, but "inprop=preloadcontent" and "inprop=editintro" may only be used with a single page and revision.',
  'apierror-ratelimited': "You've exceeded your rate limit. Please wait some time and try again.",
  'apierror-readapidenied': 'You need read permission to use this module.',
  'apierror-show': 'Incorrect parameter - mutually exclusive values may not be supplied.',
  'apierror-siteinfo-includealldenied': 'Cannot view all servers\' info unless "$wgShowHostnames" is true.',
  'apierror-storeaway': 'The service cannot check who you are at the moment. Please try again shortly.',
  'apierror-revisions-norevids':
    'The "revids" parameter may not be used with the list options ("$1limit", "$1startid", "$1endid", "$1dir=newer", "$1user", "$1excludeuser", "$1start", and "$1end").',
  'apierror-revisions-singlepage':
    '"titles", "pageids" or a generator was used to supply multiple pages, but the "$1limit", "$1startid", "$1endid", "$1dir=newer", "$1user", "$1excludeuser", "$1start", and "$1end" parameters may only be used on a single page.',
  'apierror-badparams-mode12': 'The "$1" parameter cannot be used in modes 1 or 2.',
  'apierror-badparams-mode3': 'The "$1" parameter cannot be used in mode 3.',
  'apierror-generator-redirects': 'Use "$1=nonredirects" instead of "redirects" when using "$2" as a generator.',
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
  'paramvalidator-param-deprecated': 'The parameter "$1" has been deprecated.',
  'apiwarn-deprecation-post-without-content-type':
    'A POST request was made without a "Content-Type" header. This does not work reliably.',
  'apiwarn-deprecation-withvalue': 'The value "$2" to parameter "$1" has been deprecated.',
  'apiwarn-unrecognizedvalues': 'Unrecognized {{PLURAL:$3|value|values}} for parameter "$1": $2.',
  'apiwarn-nohandler': 'This site has no content for the module "$1".',
  'apiwarn-redirectsandrevids':
    'Redirect resolution cannot be used together with the "revids" parameter. Any redirects the "revids" point to have not been resolved.',
  'apiwarn-tokens-origin': 'Tokens may not be obtained when the same-origin policy is not applied.',
  'apiwarn-truncatedresult':
    'This result was truncated because it would otherwise be larger than the limit of $1 {{PLURAL:$1|byte|bytes}}.',
  'apierror-toomanyparameters': 'The request has more than $1 parameters.',
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
  'apiwarn-alldeletedrevisions-performance': 'For better performance when generating titles, set "$1=newer".',
  'apiwarn-invalidtitle': '"$1" is not a valid title.',
  'apiwarn-compare-no-next':
    'Revision $2 is the latest revision of $1; there is no revision for "torelative=next" to compare to.',
  'apiwarn-compare-no-prev':
    'Revision $2 is the earliest revision of $1; there is no revision for "torelative=prev" to compare to.',
  'apiwarn-moduleswithoutvars':
    'Property "modules" was set but not "jsconfigvars" or "encodedjsconfigvars". Configuration variables are necessary for proper module usage.',
  'apiwarn-nodiff': 'This site does not compare revisions: the "$1" parameter had no effect.',
  'apiwarn-parse-longlist':
    'This page has more than $2 entries in the list "$1"; the rest is left out. Use "action=query&prop=$1" for all.',
  'apiwarn-textextracts-limit': '"$1" was too large for a whole article extracts request, lowered to $2.',
  'apierror-bad-badfilecontexttitle': 'Invalid title in "$1" parameter.',
  'apierror-bad-watchlist-token':
    'Incorrect watchlist token provided. Please set a correct token in [[Special:Preferences]].',
  'apierror-badparameter': 'Invalid value for parameter "$1".',
  'apierror-badquery': 'Invalid query.',
  'apierror-invalidlang': 'Invalid language code for parameter "$1".',
  'apierror-pagecannotexist': "Namespace doesn't allow actual pages.",
  'apierror-specialpage-cantexecute': "You don't have permission to view the results of this special page.",
  nosuchusershort: 'There is no user by the name "$1".\nCheck your spelling.',
  'uploadstash-bad-path-bad-format': 'Key "$1" is not in a proper format.',
  // MediaWiki has no such message, and shows the key between the marks of a missing message.
  'user and excludeuser cannot be used together': '⧼user and excludeuser cannot be used together⧽',
  'apiwarn-invalidcategory': '"$1" is not a category.',
  'apiwarn-notfile': '"$1" is not a file.',
  'paramvalidator-badinteger': 'Invalid value "$2" for integer parameter "$1".',
  'paramvalidator-badtimestamp': 'Invalid value "$2" for timestamp parameter "$1".',
  'paramvalidator-badtitle': 'Invalid value "$2" for title parameter "$1": not a valid title string.',
  'paramvalidator-baduser': 'Invalid value "$2" for user parameter "$1".',
  'paramvalidator-badvalue-enumnotmulti': 'Unrecognized value for parameter "$1": $2.',
  'paramvalidator-badvalue-marks': 'The value for parameter "$1" has more than 30 combining marks in a row.',
  'paramvalidator-maxchars': 'The value for parameter "$1" cannot be longer than $3 characters (was $4).',
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
});

export type MessageKey = keyof typeof TEXTS;

/** A message of the query API by its name, with the values that its text refers to as `$1`, `$2` and so on. */
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
export const plainText = (text: Message): string => fill(text, (value) => value);

/** The English sentence as plain text, with markup removed from parameters and white space collapsed. */
export const strippedText = (text: Message): string =>
  fill(text, (value) => value.replace(/<\/?[a-zA-Z][^<>]*>/g, ''))
    .replace(/[ \t\r\n]+/g, ' ')
    .trim();

/** The English sentence as HTML, with parameters escaped. */
export const htmlText = (text: Message): string => {
  const escape = (value: string): string => Html.content(value).source;
  return fill(text, escape, escape);
};

const fill = (
  { key, params }: Message,
  escape: (value: string) => string,
  escapeTemplate: (template: string) => string = (template) => template,
): string =>
  escapeTemplate(TEXTS[key])
    .replace(/\{\{PLURAL:\$(\d)\|([^|}]*)\|([^}]*)\}\}/g, (_match, index: string, one: string, more: string) =>
      count(params[Number(index) - 1]) === 1 ? one : more,
    )
    .replace(/\$(\d)/g, (_match, index: string) => escape(write(params[Number(index) - 1] ?? '')));

const count = (param: MessageParam | undefined): number => {
  if (typeof param === 'number') return param;
  return typeof param === 'object' && 'num' in param ? param.num : 0;
};

const write = (param: MessageParam): string => {
  if (typeof param === 'string') return param;
  if (typeof param === 'number') return String(param);
  if ('plaintext' in param) return param.plaintext;
  if ('num' in param) return withThousands(param.num);
  const items = param.list.map(write);
  if (param.type === 'comma' || items.length < 2) return items.join(', ');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
};

const withThousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
