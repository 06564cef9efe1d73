import { isRecord, OAuthError } from '../../core/feature/index.js';

const MAX_LENGTH = 4096;
const MAX_DEPTH = 4;
const MAX_NAMES = 50;

/** What a request asks for with the parameter `claims` (OpenID Connect Core 1.0 §5.5). */
export interface AskedClaims {
  /** All names, at userinfo and in the ID token. */
  readonly names: readonly string[];
  /** Those for the ID token. */
  readonly inIdToken: readonly string[];
  /** The only owner that may answer. */
  readonly sub?: string;
  /** The authentication context classes that will do. */
  readonly acr: readonly string[];
  /** Whether no other class will do. */
  readonly isAcrEssential: boolean;
  /** Whether the ID token must say when the owner signed in. */
  readonly needsAuthTime: boolean;
}

const refused = (problem: string): OAuthError => new OAuthError('invalid_request', `The parameter claims ${problem}.`);

const isDeeper = (given: unknown, than: number): boolean =>
  typeof given === 'object' &&
  given !== null &&
  (than === 0 || Object.values(given).some((member) => isDeeper(member, than - 1)));

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  if (text.length > MAX_LENGTH) throw refused(`has more than ${MAX_LENGTH} characters`);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw refused('is not JSON');
  }
  if (!isRecord(given)) throw refused('must be a JSON object');
  if (isDeeper(given, MAX_DEPTH)) throw refused(`has more than ${MAX_DEPTH} levels`);
  return given;
};

type Requests = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The claims of a member. `null` asks for one without more. */
const requestsIn = (given: Readonly<Record<string, unknown>>, member: 'userinfo' | 'id_token'): Requests => {
  const requests = given[member] ?? {};
  if (!isRecord(requests)) throw refused(`must have an object as its member ${member}`);
  const all = Object.entries(requests).map(([name, request]) => {
    if (request !== null && !isRecord(request)) throw refused(`must have objects or null as the members of ${member}`);
    return [name, request ?? {}] as const;
  });
  return new Map(all);
};

/** The values of a claim that decides who may answer: ignored, a wrong one would let anybody. */
const valuesOf = (name: string, { value, values }: Readonly<Record<string, unknown>> = {}): readonly string[] => {
  if (value === undefined && values === undefined) return [];
  const given: readonly unknown[] = values === undefined ? [value] : [values].flat();
  if (given.length === 0) throw refused(`must have at least one of the values of ${name}`);
  return given.map((one) => {
    if (typeof one !== 'string' || one === '') throw refused(`must have strings as the values of ${name}`);
    return one;
  });
};

/** The only owner that may answer, wherever it is named. */
const subOf = (...requests: readonly Requests[]): string | undefined => {
  const [sub, other] = new Set(requests.flatMap((all) => valuesOf('sub', all.get('sub'))));
  if (other !== undefined) throw refused('names several values of sub');
  return sub;
};

/** @throws OAuthError `invalid_request` for a value that is malformed or too large. */
export const readClaims = (text: string | undefined): AskedClaims | undefined => {
  if (text === undefined) return undefined;
  const given = parsed(text);
  const [userinfo, idToken] = [requestsIn(given, 'userinfo'), requestsIn(given, 'id_token')];
  const names = [...new Set([...userinfo.keys(), ...idToken.keys()])];
  if (names.length > MAX_NAMES) throw refused(`names more than ${MAX_NAMES} claims`);
  const acr = idToken.get('acr') ?? {};
  const sub = subOf(idToken, userinfo);
  return {
    names,
    inIdToken: [...idToken.keys()],
    ...(sub !== undefined && { sub }),
    acr: valuesOf('acr', acr),
    isAcrEssential: acr['essential'] === true,
    needsAuthTime: idToken.get('auth_time')?.['essential'] === true,
  };
};
