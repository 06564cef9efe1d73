/**
 * Tools of the query API that the content sources and other features of this package share with it. They are not public, and may change in any
 * version.
 */

export { defined } from '../base/defined.js';
export { directionOf } from '../base/direction.js';
export { Html } from '../base/html.js';
export { unlessKnown } from '../base/http/etag.js';
export { publicDocument } from '../base/http/public-document.js';
export { printable } from '../base/printable.js';
export { nearestName } from '../base/spelling.js';
export { normalizeText } from '../base/text.js';
export { message } from './answer/messages.js';
export { messageName, messageRows } from './builtin/messages.js';
export { joinValues } from './parameters/multi-value.js';
export { canonicalAddress } from './site/ip-address.js';
export { foreignAddress, pageAddress, titleInUrl } from './site/page-address.js';
export { resolveSite } from './site/site.js';
export { parseTitle, prefixedTitle } from './site/title.js';
export { canonicalUserName } from './site/user-name.js';
export { upperFirst } from './text/first-letter.js';
export { BREAK, type Term } from './text/words.js';
