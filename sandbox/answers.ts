import { button, element } from './dom.js';
import type { Exchange } from './exchange.js';
import type { Problem } from './problems.js';
import { ENGLISH, say } from './texts.js';

/** Longer responses are shown without colours: an element for each value would take too long. */
const MAX_COLOURED_LENGTH = 200_000;

const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Syntax highlighting for JSON. */
const coloured = (text: string): readonly (Node | string)[] => {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, quoted, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = quoted === undefined ? 'atom' : colon === undefined ? 'text' : 'key';
    parts.push(element('span', { class: kind }, quoted ?? whole), colon ?? '');
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
};

const bytes = (size: number): string =>
  size < 1000 ? `${size} bytes` : size < 1_000_000 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;

/** A one-line summary of an exchange. */
export const summary = (exchange: Exchange, problems: readonly Problem[]): string => {
  const count = (kind: Problem['kind']): number => problems.filter((problem) => problem.kind === kind).length;
  return [
    say('status', { status: [String(exchange.status), exchange.statusText].join(' ').trim() }),
    `${Math.round(exchange.milliseconds)} ms`,
    bytes(exchange.size),
    ...(count('error') > 0 ? [say('errors', { count: count('error') })] : []),
    ...(count('warning') > 0 ? [say('warnings', { count: count('warning') })] : []),
    ...(exchange.answer === undefined ? [say('notJson')] : []),
  ].join(', ');
};

const problemItem = ({ kind, code, module, text, parameters }: Problem, show: (name: string) => void): HTMLElement =>
  element(
    'li',
    { class: kind },
    element('strong', {}, say(kind)),
    [module && ` ${module}`, code && ` (${code})`].filter(Boolean).join(''),
    ': ',
    element('span', ENGLISH, text),
    ...parameters.flatMap((name) => [' ', button(say('goTo', { name }), () => show(name), { class: 'link' })]),
  );

/** Shows a response with its errors and warnings. */
export const answerView = (
  exchange: Exchange,
  problems: readonly Problem[],
  number: number,
  show: (name: string) => void,
): HTMLElement => {
  const { answer, body } = exchange;
  const text = answer === undefined ? body : JSON.stringify(answer, null, 2);
  const title = say('numbered', { number });
  return element(
    'article',
    { class: 'answer' },
    element('h3', {}, title),
    element('p', { class: 'facts' }, summary(exchange, problems)),
    problems.length === 0
      ? undefined
      : element('ul', { class: 'problems' }, ...problems.map((problem) => problemItem(problem, show))),
    element(
      'pre',
      { tabindex: 0, dir: 'ltr', role: 'region', 'aria-label': say('content', { title }) },
      element('code', {}, ...(text.length > MAX_COLOURED_LENGTH ? [text] : coloured(text))),
    ),
  );
};
