import { createHash } from 'node:crypto';
import { parseUrl } from '../../base/addresses/url.js';
import { html } from '../../base/html.js';
import { unlessKnown } from '../../base/http/etag.js';
import type { HttpResponse, Route } from '../../base/http/messages.js';
import type { Site } from '../site/site.js';

/** The input of the document. */
interface DescriptionParts {
  readonly site: Site;
  /** The path of the endpoint below the mount point. */
  readonly path: string;
  /** The full URL of the endpoint. */
  readonly endpoint: string;
}

/** OpenSearch 1.1 allows 16 characters for the name, and 1,024 for the description. */
const MAX_NAME_LENGTH = 16;

/** The route of the OpenSearch description document, with which browsers offer the site's search in the address bar. */
export const openSearchRoutes = ({ site, path, endpoint }: DescriptionParts): readonly Route[] => {
  // The document requires absolute URLs.
  if (parseUrl(endpoint) === undefined || site.server === '') return [];
  const body = documentOf(site, endpoint, `${endpoint}/opensearch.xml`);
  const answer: HttpResponse = {
    status: 200,
    headers: {
      'content-type': 'application/opensearchdescription+xml; charset=utf-8',
      'cache-control': 'no-cache',
      etag: `"${createHash('sha256').update(body).digest('base64')}"`,
      'x-content-type-options': 'nosniff',
    },
    body,
  };
  const handle: Route['handle'] = async (request) =>
    request.method === 'GET' || request.method === 'HEAD' ? unlessKnown(request, answer) : WRONG_METHOD;
  return [{ path: `${path}/opensearch.xml`, handle }];
};

const WRONG_METHOD: HttpResponse = {
  status: 405,
  headers: { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: 'Use GET to fetch this document.\n',
};

/** The placeholder for the search terms. */
const WORDS = '{searchTerms}';

const documentOf = (site: Site, endpoint: string, self: string): string => {
  const { server, articlePath, searchPath } = site;
  const name = plain(site.name);
  const page = template(server + (searchPath ?? articlePath));
  const suggestions = `${template(endpoint)}?action=opensearch&search=${WORDS}&limit=10`;
  // The tag only uses entities that XML has too.
  return html`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${[...name].slice(0, MAX_NAME_LENGTH).join('').trim()}</ShortName>
<Description>${[...`Search ${name}`].slice(0, 1024).join('')}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" method="get" template="${page}"/>
<Url type="application/x-suggestions+json" method="get" template="${suggestions}"/>
<Url type="application/json" method="get" template="${suggestions}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="${self}"/>
</OpenSearchDescription>
`.source;
};

/** Encodes braces, which have a meaning in templates. */
const template = (address: string): string => address.replace(/[{}]/g, encodeURIComponent).replace('$1', () => WORDS);

/** Removes characters that XML does not allow. */
const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff\p{Surrogate}]+/gu, ' ').trim();
