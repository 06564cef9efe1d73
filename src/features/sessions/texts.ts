/** The English texts of the page of sessions. */
export const SESSION_TEXTS = {
  sessions: 'Where you are signed in',
  explained: 'Each of these browsers can use your account. Sign out those that you do not know or no longer use.',
  browserOn: '{browser} on {system}',
  unknownBrowser: 'Unknown browser',
  thisBrowser: 'This browser',
  signedInAt: 'Signed in on {date}.',
  endsAt: 'Ends on {date}.',
  endSession: 'Sign out',
  endOthers: 'Sign out all other browsers',
  askEnd: 'Sign out {browser}?',
  askEndOthers: 'Sign out all other browsers?',
  ends: 'The next visit there begins with the sign-in page. Connected applications keep their access.',
  sessionEnded: '{browser} is signed out.',
  othersEnded: 'All other browsers are signed out.',
};

/** The name of a text of the page of sessions. */
type SessionTextName = keyof typeof SESSION_TEXTS;

/** These texts in another language. */
export type SessionTexts = Readonly<Record<SessionTextName, string>>;
