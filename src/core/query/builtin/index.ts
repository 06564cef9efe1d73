import type { CallerLimiter } from '../run/caller-limits.js';
import type { ModuleHandlers } from '../run/handlers.js';
import { languageinfo } from './languageinfo.js';
import { allmessages } from './messages.js';
import { siteinfo, type SiteinfoOptions } from './siteinfo.js';
import { tokens } from './tokens.js';
import { userinfo } from './userinfo.js';

/** Options of the built-in handlers. */
interface BuiltinOptions extends SiteinfoOptions {
  readonly secret: string;
  readonly limiter: CallerLimiter | undefined;
}

/** Handlers of the modules that most clients request first. The host's handlers override them. */
export const builtinHandlers = ({ secret, limiter, ...facts }: BuiltinOptions): ModuleHandlers => ({
  allmessages,
  // Names only: this package contains no icons.
  codexicons: ({ params: { names } }) => names.map((name) => ({ name })),
  siteinfo: siteinfo(facts),
  tokens: tokens(secret),
  userinfo: userinfo(limiter),
  ...(facts.languages && { languageinfo: languageinfo(facts.languages) }),
});
