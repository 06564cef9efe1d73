/** What a rule that does not hold is: worth knowing, worth changing, or wrong. */
export type Severity = 'note' | 'warning' | 'error';

/** Something that can be seen of a server from outside. */
export interface Rule {
  readonly severity: Severity;
  /** A sentence for when it holds. */
  readonly holds: string;
  /** A sentence: why it matters. */
  readonly why: string;
  /** A sentence: what to do when it does not hold. */
  readonly remedy: string;
}

export interface Finding {
  readonly rule: string;
  readonly level: 'ok' | Severity;
  /** What was seen. */
  readonly seen: string;
  readonly why?: string;
  readonly remedy?: string;
}

export type Rules<Id extends string> = Readonly<Record<Id, Rule>>;

/** Judges rules by their names: nothing, or an empty list, is a rule that holds. */
export type Judge<Id extends string> = (id: Id, problems?: string | readonly string[] | false) => void;

/** A judge who writes down what they find. */
export const judgeOf =
  <Id extends string>(rules: Rules<Id>, findings: Finding[]): Judge<Id> =>
  (id, problems = []) => {
    const { severity, holds, why, remedy } = rules[id];
    const seen = problems === false ? [] : [problems].flat();
    findings.push(
      seen.length === 0
        ? { rule: id, level: 'ok', seen: holds }
        : { rule: id, level: severity, seen: `${seen.join('; ')}.`, why, remedy },
    );
  };
