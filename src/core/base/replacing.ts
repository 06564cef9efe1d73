/** Characters that are converted at once. */
const PIECE = 16_384;

/** In a longer text, a function call for each character to replace may take longer than converting all. */
const LONG = 1_000;

/** Returns a function that replaces ASCII characters, in a time that hardly depends on how many of them a text has. */
export const replacing = (table: Readonly<Record<string, string>>): ((text: string) => string) => {
  const marks = Object.keys(table);
  const codes: (Uint16Array | undefined)[] = Array.from({ length: 128 });
  for (const mark of marks) codes[mark.charCodeAt(0)] = codesOf(table[mark] ?? '');
  const pattern = new RegExp(
    `[${marks.map((mark) => `\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}]`,
    'g',
  );
  const longest = Math.max(...marks.map((mark) => table[mark]?.length ?? 0));
  let units: Uint16Array | undefined;
  return (text) => {
    if (text.search(pattern) < 0) return text;
    if (text.length <= LONG) return text.replace(pattern, (mark) => table[mark] ?? mark);
    units ??= new Uint16Array(longest * PIECE);
    let replaced = '';
    for (let start = 0; start < text.length; start += PIECE) {
      const length = convert(text.slice(start, start + PIECE), codes, units);
      replaced += textOf(units.subarray(0, length));
    }
    return replaced;
  };
};

type Codes = readonly (Uint16Array | undefined)[];

const codesOf = (text: string): Uint16Array => Uint16Array.from(text, (char) => char.charCodeAt(0));

/** Writes a text with its replacements, and returns the new length. */
const convert = (text: string, codes: Codes, to: Uint16Array): number => {
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const instead = code < 128 ? codes[code] : undefined;
    if (instead === undefined) to[at++] = code;
    else for (let part = 0; part < instead.length; part += 1) to[at++] = instead[part] ?? 0;
  }
  return at;
};

/** Whether numbers are stored as UTF-16LE needs them. */
const isLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

const textOf = (units: Uint16Array): string => {
  const bytes = Buffer.from(units.buffer, units.byteOffset, units.byteLength);
  return (isLittle ? bytes : bytes.swap16()).toString('utf16le');
};
