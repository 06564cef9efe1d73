import type { Html } from '../../base/html.js';
import { questionIn, type QuestionTexts } from '../../base/pages/forms.js';
import type { PageTextName } from '../../base/pages/languages/english.js';
import type { Translator } from '../../base/pages/languages/translator.js';

/** What owners can end on a page: the question before, and the message afterwards. */
const ENDINGS = {
  disconnect: { ask: 'askDisconnect', press: 'disconnect', explain: 'accessEnds', done: 'disconnected' },
  disconnect_all: {
    ask: 'askDisconnectAll',
    press: 'disconnect',
    explain: 'accessEnds',
    done: 'disconnectedAll',
  },
  sign_out: { ask: 'askSignOut', press: 'signOut', explain: 'signOutAsked', done: 'signOut' },
} as const satisfies Readonly<Record<string, QuestionTexts<PageTextName> & { done: PageTextName }>>;

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
export const questionOf = (ending: Ending, language: Translator): ReturnType<typeof questionIn> =>
  questionIn(language, ENDINGS[ending.kind], valuesOf(ending));
