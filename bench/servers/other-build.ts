/** Loaded before a server: `oauth-query/…` then means the build in the folder that the environment names. */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env['BENCH_BUILD'] ?? '.'}/package.json`).href;

// A package may ask for itself by its own name, so asking from inside of the folder finds what is there.
const hook = `
  export const resolve = (specifier, context, next) =>
    next(specifier, /^oauth-query(\\/|$)/.test(specifier) ? { ...context, parentURL: ${JSON.stringify(folder)} } : context);
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
