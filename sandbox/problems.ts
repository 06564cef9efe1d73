/** An error or warning in a response. */
export interface Problem {
  readonly kind: 'error' | 'warning';
  readonly code: string | undefined;
  readonly module: string | undefined;
  readonly text: string;
  /** The parameters it mentions, without those that the form does not have. */
  readonly parameters: readonly string[];
}

type Data = Readonly<Record<string, unknown>>;

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The text of an entry in any of the newer error formats. */
const entryText = (entry: Data): string => {
  const found = textOf(entry['text']) ?? textOf(entry['html']) ?? textOf(entry['info']) ?? textOf(entry['*']);
  return found ?? [entry['key'] ?? entry['code'], entry['params']].map((part) => JSON.stringify(part) ?? '').join(' ');
};

type Found = Omit<Problem, 'parameters'>;

const entries = (kind: Problem['kind'], list: readonly unknown[]): readonly Found[] =>
  list
    .filter(isData)
    .map((entry) => ({ kind, code: textOf(entry['code']), module: textOf(entry['module']), text: entryText(entry) }));

/** Warnings in the old format: by module, one text with a line for each warning. */
const oldWarnings = (warnings: Data): readonly Found[] =>
  Object.entries(warnings).flatMap(([module, value]) => {
    const lines = isData(value) ? (textOf(value['warnings']) ?? textOf(value['*'])) : undefined;
    return (lines?.split('\n') ?? []).map((text): Found => ({ kind: 'warning', code: undefined, module, text }));
  });

const found = (answer: Data): readonly Found[] => {
  const { error, errors, warnings } = answer;
  return [
    ...(isData(error) ? entries('error', [error]) : []),
    ...(Array.isArray(errors) ? entries('error', errors) : []),
    ...(Array.isArray(warnings) ? entries('warning', warnings) : isData(warnings) ? oldWarnings(warnings) : []),
  ];
};

/** The errors and warnings of a response, in any error format. */
export const problemsOf = (answer: unknown, names: Iterable<string>): readonly Problem[] => {
  if (!isData(answer)) return [];
  const known = new Set(names);
  return found(answer).map((problem) => {
    const quoted = [...problem.text.matchAll(/(?:"|&quot;)(.*?)(?:"|&quot;)/g)].map(([, name = '']) => name);
    return { ...problem, parameters: [...new Set(quoted.filter((name) => known.has(name)))] };
  });
};

/** The continuation in a response, if there are more results. */
export const continuationOf = (answer: unknown): Data | undefined => {
  const next = isData(answer) ? answer['continue'] : undefined;
  return isData(next) ? next : undefined;
};

/** Whether the response rejects the token. */
export const rejectsToken = (problems: readonly Problem[]): boolean =>
  problems.some(({ kind, code }) => kind === 'error' && code === 'mwoauth-invalid-authorization');
