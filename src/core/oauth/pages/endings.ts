import type { Html } from '../../base/html.js';
import type { Confirmation } from '../../base/pages/forms.js';
import type { PageTextName } from '../../base/pages/languages/english.js';
import type { Translator } from '../../base/pages/languages/translator.js';

interface EndingTexts {
  readonly ask: PageTextName;
  readonly press: PageTextName;
  readonly explain: PageTextName;
  readonly done: PageTextName;
}

/** What owners can end on a page: the question before, and the message afterwards. */
const ENDINGS = {
  disconnect: { ask: 'askDisconnect', press: 'disconnect', explain: 'accessEnds', done: 'disconnected' },
  disconnect_all: {
    ask: 'askDisconnectAll',
    press: 'disconnectAll',
    explain: 'accessEnds',
    done: 'disconnectedAll',
  },
  revoke: { ask: 'askEndToken', press: 'endToken', explain: 'tokenEnds', done: 'tokenEnded' },
  sign_out: { ask: 'askSignOut', press: 'signOut', explain: 'signOutAsked', done: 'signOut' },
  revoke_all: { ask: 'askEndAllTokens', press: 'endAllTokens', explain: 'tokenEnds', done: 'tokensEnded' },
} as const satisfies Readonly<Record<string, EndingTexts>>;

/** What ends: one thing with its name, or several. */
export interface Ending {
  readonly kind: keyof typeof ENDINGS;
  readonly of: string | number;
}

export const isEnding = (kind: string | undefined): kind is Ending['kind'] =>
  kind !== undefined && Object.hasOwn(ENDINGS, kind);

const valuesOf = ({ of }: Ending): Readonly<Record<string, string | number>> =>
  typeof of === 'number' ? { count: of } : { client: of, name: of };

/** The message afterwards. */
export const doneText = (ending: Ending, language: Translator): Html =>
  language.html(ENDINGS[ending.kind].done, valuesOf(ending));

/** The question before. */
export const confirmationOf = (
  ending: Ending,
  language: Translator,
): Pick<Confirmation, 'title' | 'question' | 'explanation' | 'confirm' | 'cancel'> => {
  const { ask, press, explain } = ENDINGS[ending.kind];
  return {
    title: language.text(ask, valuesOf(ending)),
    question: language.html(ask, valuesOf(ending)),
    explanation: language.text(explain),
    confirm: language.html(press, valuesOf(ending)),
    cancel: language.text('cancel'),
  };
};
