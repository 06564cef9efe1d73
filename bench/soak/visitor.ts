import { setTimeout as wait } from 'node:timers/promises';
import { formOf } from '../../test/hosts/form.js';
import type { Journal } from './journal.js';
import { type Answer, NoAnswer, type Pool, type Question } from './pool.js';

/** A response that violates the protocol. */
export class Wrong extends Error {
  override readonly name = 'Wrong';
}

/** The part of a response that a report shows: of a page, its words. */
const summary = ({ status, headers, text }: Answer): string => {
  const problem = /[?&]error=\w+/.exec(headers.location ?? '')?.[0] ?? '';
  const words = text.replace(/<style>[^]*?<\/style>|<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  return `${status} ${problem}${words.slice(0, 300)}`;
};

export const expectThat = (holds: boolean, promise: string, answer: Answer): void => {
  if (!holds) throw new Wrong(`${promise}: got ${summary(answer)}`);
};

/** Waits for one request. More of them, and it gives up. */
const MAX_WAITS = 3;

/**
 * A client behind a load balancer: each request goes to the next process, and one without a response is sent once more,
 * to another process. It keeps the cookies of one browser, and repeats a request after the seconds for which it must wait (429).
 */
export class Visitor {
  readonly #pool: Pool;
  readonly #journal: Journal;
  readonly #mayRetry: boolean;
  readonly #number: number;
  #next: number;
  #cookies: ReadonlyMap<string, string> = new Map();

  constructor(pool: Pool, journal: Journal, number: number, mayRetry: boolean) {
    this.#pool = pool;
    this.#journal = journal;
    this.#number = number;
    this.#next = number;
    this.#mayRetry = mayRetry;
  }

  /** Continues as another browser over the same connections. */
  forgetCookies(): void {
    this.#cookies = new Map();
  }

  /** @param operation - The name of this request in the report. */
  async ask(operation: string, question: Question): Promise<Answer> {
    let answer = await this.#timed(operation, question);
    for (let waits = 0; answer.status === 429 && waits < MAX_WAITS; waits += 1) {
      this.#journal.waited(operation);
      await wait(Number(answer.headers['retry-after']) * 1000);
      answer = await this.#timed(operation, question);
    }
    this.#keepCookies(answer);
    return answer;
  }

  /**
   * Presses a button of a form, after typing into its fields.
   *
   * @param wanted - A text in that form, for a page with several.
   */
  submit(operation: string, page: Answer, typed: Readonly<Record<string, string>>, wanted?: string): Promise<Answer> {
    const { action, fields } = formOf(page.text, wanted);
    return this.ask(operation, { path: action, form: { ...fields, ...typed } });
  }

  async #timed(operation: string, question: Question): Promise<Answer> {
    const begun = performance.now();
    const answer = await this.#send(this.#withCookies(question));
    this.#journal.took(operation, performance.now() - begun);
    return answer;
  }

  async #send(question: Question): Promise<Answer> {
    const target = this.#next;
    this.#next += 1;
    try {
      return await this.#pool.ask(this.#number, target, question);
    } catch (error) {
      if (!this.#mayRetry || !(error instanceof NoAnswer)) throw error;
      this.#journal.retried(error.message);
    }
    this.#next += 1;
    return this.#pool.ask(this.#number, target + 1, question);
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
