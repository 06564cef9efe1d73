import { parseUrl } from '../../core/base/addresses/url.js';
import { error, note, warning } from './finding.js';
import type { Answer } from './probe.js';
import {
  allowsForeign,
  allowsOrigin,
  describe,
  FOREIGN_ORIGIN,
  headerOf,
  isJson,
  memberOf,
  shown,
  textsOf,
  withQuery,
} from './subject.js';
import { type Document, isDocument, isSafeUrl, pageProblem, Walk, type WalkSubject } from './walk.js';

/** The requirements of an MCP client, in the order of its requests. */
export const MCP_RULES = {
  'mcp-answers': error(
    'The MCP server responds.',
    'A client starts with a request to this URL, and follows no redirects.',
    'Check the URL, that the server is running, and that the proxy forwards to it.',
  ),
  'mcp-challenge': error(
    'A request without a token gets a 401 with a Bearer challenge.',
    'This makes a client sign its user in (RFC 9728 §5.1); some only read a challenge that begins with Bearer.',
    'Put oauth.guard(scope, { resource }) in front of the route, before any other handler that responds. With the feature mcp(), set anonymous: false; if everyone may read without signing in, ignore this.',
  ),
  'mcp-challenge-metadata': warning(
    'The challenge contains the URL of the resource metadata.',
    'Without it clients have to guess the URL, and not all of them do.',
    'Pass the resource to the guard: oauth.guard(scope, { resource }).',
  ),
  'mcp-challenge-scripts': note(
    'Scripts of other origins can read the challenge.',
    'Otherwise a client that runs in a browser does not see it.',
    'To support such clients, allow their origins on this route, and expose the header www-authenticate.',
  ),
  'mcp-resource-found': error(
    'The resource metadata is available.',
    'This document tells clients which server signs users in (RFC 9728 §3).',
    'Describe the resource in options.resources, and make sure that /.well-known/oauth-protected-resource reaches the server at the root of the host (mount oauth.wellKnown there).',
  ),
  'mcp-resource-name': error(
    'The metadata belongs to this URL.',
    'Clients stop if the resource has a different origin, or a path that the URL does not begin with (RFC 9728 §3.3).',
    'Set the option issuer to the public https URL, and declare the resource with the URL given to clients.',
  ),
  'mcp-resource-identical': warning(
    'The resource is exactly this URL.',
    'Some clients compare the two as strings.',
    'Declare the resource with exactly the URL given to clients, or give them the declared URL.',
  ),
  'mcp-resource-scripts': note(
    'Scripts of other origins may read the resource metadata.',
    'Otherwise a client that runs in a browser cannot start.',
    'Make sure that no proxy removes Access-Control-Allow-Origin.',
  ),
  'mcp-offline-access': warning(
    'offline_access is not a scope of the resource.',
    'It concerns the client and the authorization server only; clients would request it on each connection.',
    'Remove it from the scopes of the resource.',
  ),
  'mcp-server-named': error(
    'The metadata names an authorization server.',
    'Clients use the first one, exactly as written (RFC 9728 §2).',
    'Serve the generated document; its authorization_servers contain the issuer.',
  ),
  'mcp-server-found': error(
    'The authorization server metadata is available.',
    'Clients discover every endpoint through it (RFC 8414 §3).',
    'Make sure that the path reaches the server: for an issuer with a path, /.well-known/oauth-authorization-server and then that path, at the root of the host.',
  ),
  'mcp-server-issuer': error(
    'Both documents name the same issuer.',
    'Clients compare the two as strings and stop if they differ, even in a slash (RFC 8414 §3.3).',
    'Use the same option issuer, the URL used by clients, for both documents.',
  ),
  'mcp-server-endpoints': error(
    'Clients accept the URLs of the endpoints.',
    'Clients only send codes and tokens to https, or to loopback.',
    'Set the option issuer to the public https URL; endpoints are derived from it.',
  ),
  'mcp-pkce': error(
    'PKCE with S256 is supported.',
    'MCP clients must reject a server that does not advertise it.',
    'List S256 in code_challenge_methods_supported.',
  ),
  'mcp-refresh': warning(
    'Clients can refresh.',
    'Otherwise users sign in again whenever an access token expires.',
    'Add refresh_token to the option grants.',
  ),
  'mcp-clients': error(
    'Clients that are not registered in advance are accepted.',
    'Users bring their own clients; without this, only manually registered clients can connect.',
    'Add selfRegistration() to options.features, or clientDocuments(…) to the clients.',
  ),
  'mcp-public-clients': error(
    'The token endpoint accepts clients without a secret.',
    'Clients that publish a document look for the method none, and otherwise register instead, or give up.',
    'Serve the generated token_endpoint_auth_methods_supported, which contains none.',
  ),
  'mcp-registration': error(
    'The registration endpoint responds.',
    'Clients without a document start there (RFC 7591 §3).',
    'Make sure that POST requests with JSON reach it, and that responses are not modified.',
  ),
  'mcp-authorize': error(
    'Browsers can reach the authorization endpoint.',
    'Users are sent there to sign in.',
    'Make sure that the path reaches the server, and that nothing in front of it requires other credentials.',
  ),
  'mcp-token': error(
    'The token endpoint returns errors as JSON.',
    'Errors tell clients whether to register again, to sign in again, or to wait.',
    'Make sure that POST requests with a form reach it, and that responses are not modified.',
  ),
};

type Id = keyof typeof MCP_RULES;

const PREFLIGHT = { origin: FOREIGN_ORIGIN, 'mcp-protocol-version': '2025-11-25' };

/** The page of the MCP Inspector, as a developer opens it. */
const INSPECTOR = 'http://localhost:6274';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'oauth-query-doctor', version: '1' },
  },
};

type McpWalk = Walk<Id>;

/** @returns the URL of the resource metadata. */
const metadataPlace = async (walk: McpWalk): Promise<URL> => {
  const { address } = walk.subject;
  const headers = { accept: 'application/json, text/event-stream' };
  const answer = await walk.ask(address, { json: INITIALIZE, headers });
  const isLost = [0, 404].includes(answer.status) || answer.status >= 500 || answer.headers.location !== undefined;
  walk.check('mcp-answers', isLost && `${address.href}: ${describe(answer)}`);
  const header = answer.headers['www-authenticate'];
  const isChallenge = answer.status === 401 && header !== undefined && /^Bearer +\S/i.test(header);
  walk.check('mcp-challenge', !isChallenge && `${describe(answer)}, and ${headerOf(answer, 'WWW-Authenticate')}`);
  const named = /resource_metadata="([^"]+)"/.exec(header ?? '')?.[1];
  const isNamed = named !== undefined && parseUrl(named) !== undefined;
  walk.check('mcp-challenge-metadata', !isNamed && `resource_metadata is ${shown(named)}`);
  // A server may refuse requests from scripts of other origins; one without TLS is on loopback, and so are its scripts.
  const script = address.protocol === 'http:' ? INSPECTOR : FOREIGN_ORIGIN;
  const toScript = await walk.ask(address, { json: INITIALIZE, headers: { ...headers, origin: script } });
  const isExposed = /www-authenticate|\*/i.test(String(toScript.headers['access-control-expose-headers'] ?? ''));
  walk.check(
    'mcp-challenge-scripts',
    allowsOrigin(toScript, script)
      ? !isExposed && headerOf(toScript, 'Access-Control-Expose-Headers')
      : `asked by ${script}: ${describe(toScript)}, and ${headerOf(toScript, 'Access-Control-Allow-Origin')}`,
  );
  const { origin, pathname } = address;
  return new URL(isNamed ? named : `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`);
};

const resourceOf = async (walk: McpWalk, place: URL): Promise<Document> => {
  const { address } = walk.subject;
  const answer = await walk.ask(place, { headers: PREFLIGHT });
  const document = walk.document('mcp-resource-found', place, answer);
  const named = document['resource'];
  const resource = typeof named === 'string' ? parseUrl(named) : undefined;
  const begins = (path: string): boolean =>
    address.pathname === path || address.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
  const isOurs = resource !== undefined && resource.origin === address.origin && begins(resource.pathname);
  walk.check('mcp-resource-name', !isOurs && `${address.href} was asked for, and it names ${shown(named)}`);
  walk.check('mcp-resource-identical', resource?.href !== address.href && `it is ${shown(named)}`);
  walk.check('mcp-resource-scripts', !allowsForeign(answer) && 'there is no Access-Control-Allow-Origin');
  const scopes = textsOf(document['scopes_supported']);
  walk.check('mcp-offline-access', scopes.includes('offline_access') && 'scopes_supported has it');
  return document;
};

const serverOf = async (walk: McpWalk, resource: Document): Promise<Document> => {
  const [issuer] = textsOf(resource['authorization_servers']);
  const isAddress = isSafeUrl(issuer);
  walk.check('mcp-server-named', !isAddress && memberOf(resource, 'authorization_servers'));
  const document = await metadataOf(walk, new URL(issuer ?? ''));
  const named = document['issuer'];
  walk.check('mcp-server-issuer', named !== issuer && `one names ${shown(issuer)}, the other ${shown(named)}`);
  const wrong = ['authorization_endpoint', 'token_endpoint'].filter((name) => !isSafeUrl(document[name]));
  const told = wrong.map((name) => memberOf(document, name));
  walk.check('mcp-server-endpoints', told);
  checkList(walk, 'mcp-pkce', document, 'code_challenge_methods_supported', 'S256');
  checkList(walk, 'mcp-refresh', document, 'grant_types_supported', 'refresh_token');
  return document;
};

const checkList = (walk: McpWalk, id: Id, document: Document, name: string, needed: string): void => {
  walk.check(id, !textsOf(document[name]).includes(needed) && memberOf(document, name));
};

/** Tries the locations used by clients, one after another. */
const metadataOf = async (walk: McpWalk, { origin, pathname }: URL): Promise<Document> => {
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ].map((place) => new URL(place));
  let found: readonly [URL, Answer] | undefined;
  for (const place of places) {
    const answer = await walk.ask(place, { headers: PREFLIGHT });
    if (isDocument(answer)) return walk.document('mcp-server-found', place, answer);
    found ??= [place, answer];
  }
  if (found === undefined) throw new TypeError('There is no location to check.');
  return walk.document('mcp-server-found', ...found);
};

const checkClients = async (walk: McpWalk, server: Document): Promise<void> => {
  const registration = server['registration_endpoint'];
  const isOpen = server['client_id_metadata_document_supported'] === true || registration !== undefined;
  walk.check('mcp-clients', !isOpen && 'neither client documents nor registration are supported');
  checkList(walk, 'mcp-public-clients', server, 'token_endpoint_auth_methods_supported', 'none');
  if (registration === undefined) return;
  const address = typeof registration === 'string' ? parseUrl(registration) : undefined;
  // Required members are missing, so nothing is registered.
  const answer = address && (await walk.ask(address, { json: { redirect_uris: [] } }));
  const isFine = answer !== undefined && [400, 429].includes(answer.status) && isJson(answer);
  walk.check(
    'mcp-registration',
    !isFine && `${shown(registration)}: ${answer === undefined ? 'it is not a URL' : describe(answer)}`,
  );
};

const checkEndpoints = async (walk: McpWalk, server: Document): Promise<void> => {
  const { unknownClient, address } = walk.subject;
  const parameters = { response_type: 'code', client_id: unknownClient, resource: address.href };
  const authorize = withQuery(new URL(String(server['authorization_endpoint'])), parameters);
  walk.check('mcp-authorize', pageProblem(authorize, await walk.ask(authorize)));
  await walk.checkToken('mcp-token', new URL(String(server['token_endpoint'])), { resource: address.href });
};

/** Takes the steps of an MCP client from the outside, up to the first problem that would stop it. */
export const examineMcp = (subject: WalkSubject): Promise<void> => {
  const walk = new Walk(subject, MCP_RULES);
  return walk.take(async () => {
    const server = await serverOf(walk, await resourceOf(walk, await metadataPlace(walk)));
    await checkClients(walk, server);
    await checkEndpoints(walk, server);
  });
};
