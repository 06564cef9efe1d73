/**
 * The codes of mistakes. `docs/troubleshooting.md` has a section for each. A code keeps its meaning; sentences may improve.
 *
 * OQ1…: errors at the start, and of calls. OQ2…: warnings at the start. OQ3…: warnings while running. OQ4…: errors for `onError`. OQ5…: warnings of stores.
 */
type StartCode =
  | 'OQ100' // an option or an argument has a wrong value
  | 'OQ101' // an option or field is unknown
  | 'OQ102' // an option is missing
  | 'OQ103' // a promise instead of its result
  | 'OQ104' // oauthQuery was passed on without a call
  | 'OQ105' // the adapter of another framework
  | 'OQ106' // Node.js is too old
  | 'OQ107' // guard was passed on without a call
  | 'OQ108' // a client is registered wrongly
  | 'OQ109' // loginUrl on another host
  | 'OQ110' // the hash of a client secret as the server's secret
  | 'OQ111' // an option of an earlier version
  | 'OQ112' // two options contradict or need each other
  | 'OQ113' // the URL of a store
  | 'OQ114' // no driver for a store is installed
  | 'OQ115'; // a store cannot be used as it is

type ServerWarning =
  | 'OQ201' // options are missing
  | 'OQ202' // tokens in the memory of one process
  | 'OQ203' // clients need a sign-in that is not there
  | 'OQ204' // a client secret could be guessed
  | 'OQ206' // scopes in some languages only
  | 'OQ207' // password or implicit is enabled
  | 'OQ208' // a guard requires an undeclared scope
  | 'OQ209' // a guard names metadata of another host
  | 'OQ210' // passwords of users as plain text, on a public server
  | 'OQ211' // a client_id or client_secret that Basic changes
  | 'OQ212' // a redirect URI whose scheme other apps may have too
  | 'OQ213' // a client gets more than a feature advises
  | 'OQ214' // an assertion that works once outlives its token
  | 'OQ215' // no key for the default algorithm of introspection responses
  | 'OQ301' // mounted at another path than that of the issuer
  | 'OQ302' // mounted below a path that the endpoints already have
  | 'OQ304' // requests for another host than that of the issuer
  | 'OQ305' // the proxy is not trusted
  | 'OQ306' // a script of another origin
  | 'OQ307' // signing in leads back to signing in
  | 'OQ308' // owner reads a session that is not there
  | 'OQ309' // a row of clients.find has a problem
  | 'OQ310' // a client may not introspect the tokens of others
  | 'OQ311' // a guard is used, and the server is not mounted
  | 'OQ312' // a new sign-in was asked for, and owner returns an earlier one
  | 'OQ313' // openid.claims returned a claim that was not asked for
  | 'OQ314' // the address of a caller cannot be read
  | 'OQ315'; // a preflight at a guard

type LateCode =
  | 'OQ401' // options.owner threw
  | 'OQ402' // options.owner returned something else than an owner
  | 'OQ403'; // no token of a guard was accepted

type StoreWarning =
  | 'OQ501' // others may read the file of SQLite
  | 'OQ502' // settings of a Redis client
  | 'OQ503' // more connections than the database allows
  | 'OQ504' // the database rejects large records
  | 'OQ505'; // a node of a Galera cluster may answer with old records

export type WarningCode = ServerWarning | StoreWarning;

export type ErrorCode = StartCode | LateCode;

/** Receives warnings. */
export type OnWarning = (message: string, code: WarningCode) => void;

/** An error with a code. */
export const mistake = (sentence: string, code: ErrorCode, cause?: unknown): TypeError =>
  Object.assign(new TypeError(sentence, cause === undefined ? undefined : { cause }), { code });

type PublicFunction = ((...input: never[]) => unknown) | (new (...input: never[]) => unknown);

/**
 * The error, whose stack begins at the caller of this public function, because the caller has to correct its arguments. An error without a code
 * is a bug of ours or of the application, and keeps its whole stack.
 */
export const atCaller = (error: unknown, publicFunction: PublicFunction): unknown => {
  if (error instanceof TypeError && 'code' in error) Error.captureStackTrace(error, publicFunction);
  return error;
};

/** Runs the work of a public function: errors begin at its caller. */
export const fromCaller = <T>(publicFunction: PublicFunction, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw atCaller(error, publicFunction);
  }
};
