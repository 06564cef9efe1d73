import type { HttpRequest } from '../../base/http/messages.js';
import type { OAuthContext } from '../context.js';
import { type Ending, isEnding } from '../pages/endings.js';
import type { Session } from '../sign-in/sessions.js';

const purposeOf = ({ kind, of }: Ending, sub: string): readonly string[] => ['ended', sub, kind, String(of)];

/** The URL of a page after something ended. Only this session can have it, so no link can make a page say what did not happen. */
export const endedPath = (
  path: string,
  ending: Ending,
  { session, sub }: { readonly session: Session; readonly sub: string },
  { pages, signIn }: OAuthContext,
): string => {
  const proof = signIn.sessions.formToken(session, purposeOf(ending, sub));
  return pages.address(
    `${path}?${new URLSearchParams({ ended: ending.kind, of: String(ending.of), proof }).toString()}`,
  );
};

/** What the form before this page ended. */
export const readEnded = (
  { query }: HttpRequest,
  session: Session | undefined,
  sub: string,
  { signIn }: OAuthContext,
): Ending | undefined => {
  if (!query.includes('proof=')) return undefined;
  const parameters = new URLSearchParams(query);
  const [kind, of, proof] = ['ended', 'of', 'proof'].map((name) => parameters.get(name) ?? undefined);
  if (!isEnding(kind) || of === undefined) return undefined;
  const ending: Ending = { kind, of: kind.endsWith('_all') ? Number(of) : of };
  return signIn.sessions.isFormToken(proof, session, purposeOf(ending, sub)) ? ending : undefined;
};
