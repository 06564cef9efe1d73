/**
 * A URL, or `undefined` for text that is not one. `URL.canParse` is not used: Node 20 and 22 optimise it after some thousand calls, and then it
 * rejects URLs with Latin-1 letters, such as `https://bücher.example`.
 */
export const parseUrl = (text: string, base?: string | URL): URL | undefined => {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
};
