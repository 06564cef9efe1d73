import { isProtected } from '../../core/base/addresses/request-addresses.js';
import { parseUrl } from '../../core/base/addresses/url.js';
import { type Finding, recorderOf, type Rules } from './finding.js';
import type { Answer, Probe, Question } from './probe.js';
import { describe, isJson } from './subject.js';

/** The server that a client is given by its URL. */
export interface WalkSubject {
  readonly probe: Probe;
  /** What users enter in their client. */
  readonly address: URL;
  readonly findings: Finding[];
  /** The client_id of a client that is not registered. */
  readonly unknownClient: string;
}

/** Ends the check: later steps cannot be reached. */
class BrokenLink extends Error {
  override readonly name = 'BrokenLink';
}

/** A JSON document of the server. */
export type Document = Readonly<Record<string, unknown>>;

export const isSafeUrl = (text: unknown): boolean => {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  return url !== undefined && isProtected(url);
};

export const isDocument = (answer: Answer): boolean => answer.status === 200 && isJson(answer);

/** What is wrong with a response to which a browser is sent, if it did not reach a page of the server. */
export const pageProblem = (url: URL, answer: Answer): string | false => {
  const isLost = [0, 401, 403, 404, 405].includes(answer.status) || answer.status >= 500;
  return isLost && `${url.origin}${url.pathname}: ${describe(answer)}`;
};

/** Takes the steps of a client, and stops where it would. */
export class Walk<Id extends string, Subject extends WalkSubject = WalkSubject> {
  readonly subject: Subject;
  readonly #rules: Rules<Id>;
  readonly #record: ReturnType<typeof recorderOf<Id>>;

  constructor(subject: Subject, rules: Rules<Id>) {
    this.subject = subject;
    this.#rules = rules;
    this.#record = recorderOf(rules, subject.findings);
  }

  /** Takes these steps, up to the first problem that would stop a client. */
  async take(steps: () => Promise<void>): Promise<void> {
    try {
      await steps();
    } catch (error) {
      if (!(error instanceof BrokenLink)) throw error;
    }
  }

  check(id: Id, problem: string | readonly string[] | false): void {
    this.#record(id, problem);
    if (problem !== false && problem.length > 0 && this.#rules[id].severity === 'error') this.stop();
  }

  stop(): never {
    throw new BrokenLink('A client stops here.');
  }

  ask(url: URL, question?: Question): Promise<Answer> {
    return this.subject.probe.ask(url, question);
  }

  document(id: Id, place: URL, answer: Answer): Document {
    this.check(id, !isDocument(answer) && `${place.href}: ${describe(answer)}`);
    return answer.json ?? {};
  }

  /** Redeems a code that does not exist, as a client that does not. */
  async checkToken(id: Id, url: URL, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const form = { grant_type: 'authorization_code', client_id: this.subject.unknownClient, code: 'none', ...more };
    const answer = await this.ask(url, { form });
    const isError = [400, 401].includes(answer.status) && isJson(answer) && 'error' in Object(answer.json);
    this.check(id, !isError && `${url.href}: ${describe(answer)}`);
  }
}
