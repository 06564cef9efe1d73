import type { CallerLimiter } from '../run/caller-limits.js';
import type { ModuleHandlers } from '../run/handlers.js';
import { type Language, languageinfo } from './languageinfo.js';
import { siteinfo } from './siteinfo.js';
import { tokens } from './tokens.js';
import { userinfo } from './userinfo.js';

/** Options of the built-in handlers. */
export interface BuiltinOptions {
  readonly secret: string;
  readonly limiter: CallerLimiter | undefined;
  readonly languages: Readonly<Record<string, Language>> | undefined;
}

/** Handlers of the modules that most clients request first. The host's handlers override them. */
export const builtinHandlers = ({ secret, limiter, languages }: BuiltinOptions): ModuleHandlers => ({
  // Names only: this package contains no icons.
  codexicons: ({ params: { names } }) => names.map((name) => ({ name })),
  siteinfo: siteinfo(languages ?? {}),
  tokens: tokens(secret),
  userinfo: userinfo(limiter),
  ...(languages ? { languageinfo: languageinfo(languages) } : {}),
});
