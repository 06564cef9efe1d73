import { formOf } from '../../test/hosts/form.js';
import type { Journal } from './journal.js';
import { type Answer, NoAnswer, type Pool, type Question } from './pool.js';

/** A response that violates the protocol. */
export class Wrong extends Error {
  override readonly name = 'Wrong';
}

/** The part of a response that a report shows. */
const summary = ({ status, headers, text }: Answer): string => {
  const problem = /[?&]error=\w+/.exec(headers.location ?? '')?.[0] ?? '';
  return `${status} ${problem}${text.replace(/\s+/g, ' ').slice(0, 160)}`;
};

export const expectThat = (holds: boolean, promise: string, answer: Answer): void => {
  if (!holds) throw new Wrong(`${promise}: got ${summary(answer)}`);
};

/**
 * A client behind a load balancer: each request goes to the next process, and one without a response is sent once more,
 * to another process. It keeps the cookies of one browser.
 */
export class Visitor {
  readonly #pool: Pool;
  readonly #journal: Journal;
  readonly #mayRetry: boolean;
  #next: number;
  #cookies: ReadonlyMap<string, string> = new Map();

  constructor(pool: Pool, journal: Journal, first: number, mayRetry: boolean) {
    this.#pool = pool;
    this.#journal = journal;
    this.#next = first;
    this.#mayRetry = mayRetry;
  }

  /** Continues as another browser over the same connections. */
  forgetCookies(): void {
    this.#cookies = new Map();
  }

  /** @param operation - The name of this request in the report. */
  async ask(operation: string, question: Question): Promise<Answer> {
    const begun = performance.now();
    const answer = await this.#send(this.#withCookies(question));
    this.#journal.took(operation, performance.now() - begun);
    this.#keepCookies(answer);
    return answer;
  }

  /** Presses a button of a form, after typing into its fields. */
  submit(operation: string, page: Answer, typed: Readonly<Record<string, string>>): Promise<Answer> {
    const { action, fields } = formOf(page.text);
    return this.ask(operation, { path: action, form: { ...fields, ...typed } });
  }

  async #send(question: Question): Promise<Answer> {
    const target = this.#next;
    this.#next += 1;
    try {
      return await this.#pool.ask(target, question);
    } catch (error) {
      if (!this.#mayRetry || !(error instanceof NoAnswer)) throw error;
      this.#journal.retried(error.message);
    }
    this.#next += 1;
    return this.#pool.ask(target + 1, question);
  }

  #withCookies(question: Question): Question {
    if (this.#cookies.size === 0) return question;
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { ...question, headers: { ...question.headers, cookie } };
  }

  #keepCookies({ headers }: Answer): void {
    const lines = headers['set-cookie'] ?? [];
    if (lines.length === 0) return;
    const pairs = lines.map((line): [string, string] => {
      const pair = line.split(';', 1)[0] ?? '';
      return [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    });
    this.#cookies = new Map([...this.#cookies, ...pairs]);
  }
}
