import type { ModuleHandlers } from '../run/handlers.js';
import { codexicons } from './codexicons.js';
import { type Language, languageinfo } from './languageinfo.js';
import { siteinfo } from './siteinfo.js';
import { tokens } from './tokens.js';
import { userinfo } from './userinfo.js';

/** What the built-in handlers need to know beyond the site. */
export interface BuiltinOptions {
  readonly secret: Uint8Array;
  readonly languages: Readonly<Record<string, Language>> | undefined;
}

/** Handlers for what every client asks first. A host's own take their place. */
export const builtinHandlers = ({ secret, languages }: BuiltinOptions): ModuleHandlers => ({
  codexicons,
  siteinfo: siteinfo(languages ?? {}),
  tokens: tokens(secret),
  userinfo,
  ...(languages ? { languageinfo: languageinfo(languages) } : {}),
});
