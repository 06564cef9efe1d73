import { printable } from '../../core/base/printable.js';

/** How serious a violated rule is. */
type Severity = 'note' | 'warning' | 'error';

/** A rule that can be checked from the outside. */
interface Rule {
  readonly severity: Severity;
  /** What the rule requires. */
  readonly holds: string;
  /** Why it matters. */
  readonly why: string;
  /** What to do if it is violated. */
  readonly remedy: string;
}

const ruleOf =
  (severity: Severity) =>
  (holds: string, why: string, remedy: string): Rule => ({ severity, holds, why, remedy });

/** A rule: what it requires, why it matters, and what to do if it is violated. */
export const error = ruleOf('error');
export const warning = ruleOf('warning');
export const note = ruleOf('note');

export interface Finding {
  readonly rule: string;
  readonly level: 'ok' | Severity;
  /** The observation. */
  readonly seen: string;
  readonly why?: string;
  readonly remedy?: string;
}

export type Rules<Id extends string> = Readonly<Record<Id, Rule>>;

/** Records the result of a rule, by name: nothing, or an empty list, means that it holds. */
export type Recorder<Id extends string> = (id: Id, problems?: string | readonly string[] | false) => void;

/** Creates a function that records results as findings. */
export const recorderOf =
  <Id extends string>(rules: Rules<Id>, findings: Finding[]): Recorder<Id> =>
  (id, problems = []) => {
    const { severity, holds, why, remedy } = rules[id];
    const seen = problems === false ? [] : [problems].flat();
    findings.push(
      seen.length === 0
        ? { rule: id, level: 'ok', seen: holds }
        : { rule: id, level: severity, seen: `${printable(seen.join('; '))}.`, why, remedy },
    );
  };
