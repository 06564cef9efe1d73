/** Compares an answer that a document promises with a real one. `…` in a promise stands for anything. */

/** Whether a text is as promised. */
const isLike = (promised: string, real: string): boolean => {
  const pattern = promised
    .split('…')
    .map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
    .join('[^]*');
  return new RegExp(`^${pattern}$`).test(real);
};

/** Seconds since the epoch: a promised time stands for any. */
const isTime = (value: unknown): boolean => typeof value === 'number' && value > 1_000_000_000;

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where an answer is not as promised, one line for each place. A field `"…"` stands for any number of others. */
export function jsonProblems(promised: unknown, real: unknown, at = 'answer'): readonly string[] {
  const differs = [`${at}: promised ${JSON.stringify(promised)}, got ${JSON.stringify(real)}`];
  if (typeof promised === 'string') return typeof real === 'string' && isLike(promised, real) ? [] : differs;
  if (Array.isArray(promised) && Array.isArray(real)) {
    const open = promised.at(-1) === '…';
    const items: readonly unknown[] = open ? promised.slice(0, -1) : promised;
    if (open ? real.length < items.length : real.length !== items.length) return differs;
    return items.flatMap((item, index) => jsonProblems(item, real[index], `${at}[${index}]`));
  }
  if (isObject(promised) && isObject(real)) {
    const surplus = '…' in promised ? [] : Object.keys(real).filter((key) => !(key in promised));
    return [
      ...surplus.map((key) => `${at}.${key}: is not in the document`),
      ...Object.entries(promised)
        .filter(([key]) => key !== '…')
        .flatMap(([key, value]) => jsonProblems(value, real[key], `${at}.${key}`)),
    ];
  }
  return promised === real || (isTime(promised) && isTime(real)) ? [] : differs;
}

/** Every promised line has to be there, in this order; others may stand between them. */
export function textProblems(promised: string, real: string): readonly string[] {
  const lines = real.split('\n').map((line) => line.trimEnd());
  let from = 0;
  return promised.split('\n').flatMap((line) => {
    const found = lines.findIndex((candidate, index) => index >= from && isLike(line.trimEnd(), candidate));
    if (found === -1) return [`not answered: ${line}`];
    from = found + 1;
    return [];
  });
}

/** A status line, headers of which others may be there too, and a body. */
export function httpProblems(promised: string, real: string): readonly string[] {
  const [head = '', body = ''] = promised.split(/\n\n([^]*)/);
  const [realHead = '', realBody = ''] = real.replaceAll('\r\n', '\n').split(/\n\n([^]*)/);
  const lines = realHead.split('\n');
  const isThere = (line: string): boolean => {
    const [name = '', value] = line.split(/: (.*)/);
    // Header names have no case (RFC 9110 §5.1).
    return lines.some((candidate) => {
      const [realName = '', realValue] = candidate.split(/: (.*)/);
      if (value === undefined || realValue === undefined) return isLike(line, candidate);
      return realName.toLowerCase() === name.toLowerCase() && isLike(value, realValue);
    });
  };
  const missing = head.split('\n').filter((line) => !isThere(line));
  return [
    ...missing.map((line) => `not answered: ${line}`),
    ...(body.trim() === '' ? [] : bodyProblems(body.trim(), realBody.trim())),
  ];
}

const bodyProblems = (promised: string, real: string): readonly string[] =>
  promised.startsWith('{') ? jsonTextProblems(promised, real) : textProblems(promised, real);

const jsonTextProblems = (promised: string, real: string): readonly string[] => {
  try {
    return jsonProblems(JSON.parse(promised), JSON.parse(real));
  } catch (error) {
    return [`${String(error)}: ${real}`];
  }
};

/** What is wrong with an answer, by the language of the block that promises it. */
export function problemsOf(lang: string, promised: string, real: string): readonly string[] {
  if (lang === 'json') return jsonTextProblems(promised, real);
  return lang === 'http' ? httpProblems(promised, real) : textProblems(promised, real);
}
