/**
 * A page on which users of the built-in sign-in see in which browsers they are signed in, and sign out one or all others:
 * `oauthQuery({ users, features: [sessions()] })`.
 *
 * @module oauth-query/sessions
 */

import { fail, feature, option, type PlainFeature } from '../../core/feature/index.js';
import { namedBrowser } from './browser.js';
import { KnownSessions } from './known.js';
import { FIELDS, show, submit } from './page.js';
import { SESSION_TEXTS } from './texts.js';

/** Options of `sessions`. */
export interface SessionsOptions {
  /** The path of the page below the issuer. Default: `/oauth/sessions`. */
  readonly path?: string | readonly string[] | undefined;
}

const OPTIONS = option.object({ path: option.path('/oauth/sessions') } satisfies option.Schema<SessionsOptions>, {
  takes: 'an object of options',
});

/**
 * A page of the user's sessions of the built-in sign-in: when they began and in which browser, with buttons that end one or all others. Each
 * session is a record, written once at the sign-in, with the name of the browser and no address. At most 50 of each user: another sign-in ends the oldest.
 *
 * @throws TypeError with a sentence, if the application has its own sign-in.
 */
export const sessions = (given: SessionsOptions = {}): PlainFeature<'sessions'> => {
  const { path: paths } = OPTIONS.read(given, 'sessions: options');
  return feature({
    name: 'sessions',
    start: (host) => {
      const { owners, onError } = host;
      if (!owners.hasSessions)
        fail('sessions() needs the built-in sign-in. With options.owner, your application has the sessions.');
      const known = new KnownSessions(host);
      return {
        began: (session, call) => known.begin(session, call),
        ended: {
          beforeSignOut: async ({ sub, session, client_id }) => {
            // Only the access of one client ends.
            if (client_id !== undefined) return () => undefined;
            const tidy = (): Promise<void> =>
              session === undefined ? known.tidy(sub) : known.forget({ sub, id: session.id });
            return () => void tidy().catch(onError);
          },
        },
        owners: {
          exportOwner: async function* (sub) {
            for (const { at, exp, browser, system } of await known.all(sub))
              yield { ...namedBrowser(browser, system), created: at, expires: exp };
          },
          eraseOwner: (sub) => known.erase(sub),
        },
        routes: [
          host.ownerRoute({
            path: paths,
            texts: SESSION_TEXTS,
            link: 'sessions',
            fields: FIELDS,
            GET: (visit) => show(visit, known),
            POST: (visit, form) => submit(visit, form, known, (session, call) => owners.endSession(session, call)),
          }),
        ],
      };
    },
  });
};
