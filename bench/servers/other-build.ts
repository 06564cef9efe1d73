/** Loaded before a server: imports of `oauth-query/…` then resolve to the build in the folder `BENCH_BUILD`. */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env['BENCH_BUILD'] ?? '.'}/package.json`).href;

// A package may import itself by its own name, so resolving from inside the folder finds the build there.
const hook = `
  export const resolve = (specifier, context, next) =>
    next(specifier, /^oauth-query(\\/|$)/.test(specifier) ? { ...context, parentURL: ${JSON.stringify(folder)} } : context);
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
