import type { HttpResponse, Route } from '../../base/http/messages.js';

/** The name of the endpoint in MediaWiki. Programs that find it there expect `load.php` beside it. */
const ENDPOINT = /^(.*)\/api\.php$/;

/** The folder of MediaWiki's programs, if the endpoint has MediaWiki's name: without a slash at its end. */
export const scriptPathOf = (paths: readonly string[]): string | undefined =>
  paths.flatMap((path) => ENDPOINT.exec(path)?.[1] ?? [])[0];

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** What MediaWiki's pages load first: the list of all modules. Here pages have none. */
const STARTUP = ';mw.loader.register([["site.styles","",[]],["noscript","",[]]]);\nmw.loader.state({});\n';

const script = (status: number, type: string, body: string, more: HttpResponse['headers'] = {}): HttpResponse => ({
  status,
  headers: {
    'content-type': type,
    'cache-control': status === 200 ? 'public, max-age=86400' : 'no-store',
    'x-content-type-options': 'nosniff',
    ...more,
  },
  body,
});

const WRONG_METHOD = script(405, 'text/plain; charset=utf-8', 'Use GET.\n', { allow: 'GET, HEAD' });

/**
 * `load.php`, from which programs that copy a site fetch the styles and scripts of its pages, and without which some of them end. Pages here
 * have none, so it is empty, but for the list of modules. Nothing of a request comes back.
 */
export const resourceLoaderRoutes = (paths: readonly string[]): readonly Route[] => {
  const folder = scriptPathOf(paths);
  if (folder === undefined) return [];
  const handle: Route['handle'] = async ({ method, query }) => {
    if (method !== 'GET' && method !== 'HEAD') return WRONG_METHOD;
    const wanted = new URLSearchParams(query);
    if (wanted.get('only') === 'styles') return script(200, STYLE, '');
    return script(200, SCRIPT, wanted.get('modules') === 'startup' ? STARTUP : '');
  };
  return [{ path: `${folder}/load.php`, handle }];
};
