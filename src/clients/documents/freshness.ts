const SECONDS = /^"?(\d{1,10})"?$/;

const secondsIn = (text: string | undefined): number | undefined => {
  const digits = SECONDS.exec(text?.trim() ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * For how many seconds a response may be cached; `undefined` if it does not say.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9111#section-4.2 | RFC 9111 §4.2}
 */
export const freshSeconds = (cacheControl: string | undefined, age: string | undefined): number | undefined => {
  const directives = new Map(
    (cacheControl ?? '').split(',').map((directive) => {
      const [name = '', value] = directive.split('=', 2);
      return [name.trim().toLowerCase(), value] as const;
    }),
  );
  if (directives.has('no-store') || directives.has('no-cache')) return 0;
  const maxAge = secondsIn(directives.get('max-age'));
  return maxAge === undefined ? undefined : Math.max(0, maxAge - (secondsIn(age) ?? 0));
};
