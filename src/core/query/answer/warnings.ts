import type { ConditionData } from './api-error.js';
import { type Message, message } from './messages.js';

/** A problem that does not make a request fail. */
export interface Warning {
  readonly module: string;
  readonly code: string;
  readonly text: Message;
  readonly data?: ConditionData | undefined;
}

/** The warnings of one request. */
export class Warnings {
  readonly list: Warning[] = [];
  #helped = false;

  add(module: string, code: string, text: Message, data?: ConditionData): void {
    this.list.push({ module, code, text, data });
  }

  /**
   * Adds a deprecation, and once per request the notice that says where deprecations are announced.
   *
   * @param feature - What was used, for logs: `action=query&list=exturlusage&euexpandurl`.
   */
  deprecation(module: string, text: Message, feature: string): void {
    this.add(module, 'deprecation', text, { feature });
    if (this.#helped) return;
    this.#helped = true;
    this.add('main', 'deprecation-help', message('apiwarn-deprecation-help'));
  }
}
