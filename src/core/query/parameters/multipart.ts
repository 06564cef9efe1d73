/** One field of a multipart form. The content of a file is treated as text. */
interface FormField {
  readonly name: string;
  readonly content: Buffer;
}

const CRLF = Buffer.from('\r\n');
const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * Parses a `multipart/form-data` body, in one pass over its bytes. Parts without a name are omitted; a body without a
 * closing boundary yields its complete parts.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7578 | RFC 7578}
 */
export function* readMultipart(body: Buffer, boundary: string): Generator<FormField> {
  const delimiter = Buffer.from(`--${boundary}`);
  const separator = Buffer.concat([CRLF, delimiter]);
  let start = body.indexOf(delimiter);
  if (start < 0) return;
  start += delimiter.length;
  for (;;) {
    // Two dashes after the boundary end the form; otherwise a part starts on the next line.
    const line = body.indexOf(CRLF, start);
    if (line < 0 || body.toString('latin1', start, start + 2) === '--') return;
    const end = body.indexOf(separator, line);
    if (end < 0) return;
    const field = readPart(body.subarray(line, end));
    if (field) yield field;
    start = end + separator.length;
  }
}

const readPart = (part: Buffer): FormField | undefined => {
  const split = part.indexOf(HEADER_END);
  if (split < 0) return undefined;
  const headers = part.toString('utf8', CRLF.length, split).split('\r\n');
  const disposition = headers.find((line) => /^content-disposition[ \t]*:/i.test(line));
  const name = disposition === undefined ? undefined : parameterOf(disposition, 'name');
  return name === undefined ? undefined : { name, content: part.subarray(split + HEADER_END.length) };
};

/** The value of a header's parameter: `boundary` of a content type, `name` of a disposition. */
export const parameterOf = (header: string, name: string): string | undefined => {
  for (const match of header.matchAll(/;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g)) {
    if (match[1]?.toLowerCase() === name) {
      return (
        match[3] ??
        match[2]
          ?.replace(/\\(["\\])/g, '$1')
          .replace(/%22/g, '"')
          .replace(/%0D%0A/gi, '\r\n')
      );
    }
  }
  return undefined;
};
