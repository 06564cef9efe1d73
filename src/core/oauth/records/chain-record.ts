import { UnavailableError } from '../../base/errors.js';
import type { Revision } from '../../base/ports.js';
import { type ExpiringRecord, isNumber, isText, isTextOrNull, optional, type Shape } from '../../base/records.js';
import { isRecord } from '../../base/schema.js';
import type { Written } from './window.js';

/**
 * The chain of a grant: its authorization code, then one refresh token after the other. It is replaced with each step, so it never grows,
 * and ends with its grant.
 *
 * Each part is one text. As objects they would take twice the memory, and twice the time to copy, to check and to encode.
 */
export interface ChainRecord extends ExpiringRecord, Revision {
  /** The authorization code, kept after it was redeemed to recognise a replay; `null` for a grant without one. */
  readonly code: string | null;
  /** When and where the first tokens were issued; `null` until then. */
  readonly taken: string | null;
  /** The only refresh token that can be used; `null` if the client gets none. */
  readonly current: string | null;
  /** The refresh token used before it, and how its successor is derived from it; `null` before the first refresh. */
  readonly last: string | null;
  /** When and where a response with the current token was first sent; `null` until then. */
  readonly done: string | null;
  /** Milliseconds since the epoch, accurate to the hour: the last refresh with a token that is not rotated, or the last use of a personal token. */
  readonly used_ms?: number;
  /** What features keep of the authorization request for the token request, as JSON; absent if they keep nothing. */
  readonly kept?: string;
  /** The thumbprint of the key that the refresh tokens of a public client are bound to; absent if they are not. */
  readonly jkt?: string;
}

/** What features keep of an authorization request, by the name of the parameter. */
export type KeptParameters = Readonly<Record<string, string>>;

export const CHAIN: Shape<ChainRecord> = {
  exp: isNumber,
  rev: isText,
  code: isTextOrNull,
  taken: isTextOrNull,
  current: isTextOrNull,
  last: isTextOrNull,
  done: isTextOrNull,
  used_ms: optional(isNumber),
  kept: optional(isText),
  jkt: optional(isText),
};

/** An authorization code, and what a token request must match. */
export interface CodePart {
  /** The SHA-256 of the code. */
  readonly hash: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** The number of wrong verifiers so far. */
  readonly failures: number;
  readonly code_challenge: string | null;
  readonly code_challenge_method: 'S256' | 'plain' | null;
  /** Whether the authorization request had a redirect_uri, which the token request must then repeat. */
  readonly redirect_uri_sent: boolean;
  readonly redirect_uri: string;
}

/** The current refresh token. */
export interface CurrentPart {
  /** The SHA-256 of the token. */
  readonly hash: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** The SHA-256 of the part that all refresh tokens of the grant share. */
  readonly family: string;
}

/** The refresh token before the current one. */
export interface LastPart extends Written {
  /** Its SHA-256. */
  readonly hash: string;
  readonly salt: string;
  /** The application secret used for the derivation; `null` if none is configured. */
  readonly key: string | null;
  /** The requested scopes and resources, so that only the same request gets the same response; empty for the whole grant. */
  readonly request: string;
}

/** Of a SHA-256 as base64url. */
const HASH_LENGTH = 43;

/** The words of a part. A text that may contain spaces is the last one. */
const wordsOf = (part: string, count: number): readonly string[] => {
  const words = part.split(' ');
  if (words.length < count) throw damaged();
  return words.length === count ? words : [...words.slice(0, count - 1), words.slice(count - 1).join(' ')];
};

const numberOf = (word: string | undefined): number => {
  const number = Number.parseInt(word ?? '', 36);
  if (Number.isNaN(number)) throw damaged();
  return number;
};

const damaged = (): UnavailableError => new UnavailableError('The store returned a damaged chain of tokens.');

/** A hash that was cut off would look like that of another token. */
const hashOf = (word: string | undefined): string => {
  if (word?.length !== HASH_LENGTH) throw damaged();
  return word;
};

/** As a single string: a template would keep its parts in memory for as long as the record lives there. */
const partOf = (...words: readonly string[]): string => words.join(' ');

/** An empty word is missing. */
const wordOf = (word: string | undefined): string => {
  if (word === undefined || word === '') throw damaged();
  return word;
};

export const codeText = (code: CodePart): string =>
  partOf(
    code.hash,
    code.exp.toString(36),
    code.failures.toString(36),
    code.code_challenge_method ?? '-',
    code.code_challenge ?? '-',
    code.redirect_uri_sent ? '1' : '0',
    code.redirect_uri,
  );

/** @throws UnavailableError if the text is damaged; so do the others. */
export const parseCode = (text: string): CodePart => {
  const [hash, exp, failures, method, challenge, sent, redirect_uri = ''] = wordsOf(text, 7);
  if (method !== 'S256' && method !== 'plain' && method !== '-') throw damaged();
  if ((method === '-') !== (challenge === '-') || (sent !== '0' && sent !== '1')) throw damaged();
  return {
    hash: hashOf(hash),
    exp: numberOf(exp),
    failures: numberOf(failures),
    code_challenge: method === '-' ? null : wordOf(challenge),
    code_challenge_method: method === '-' ? null : method,
    redirect_uri_sent: sent === '1',
    redirect_uri,
  };
};

export const parseKept = (text: string | undefined): KeptParameters => {
  if (text === undefined) return {};
  try {
    const kept: unknown = JSON.parse(text);
    if (isRecord(kept) && Object.values(kept).every(isText)) return kept as KeptParameters;
  } catch {
    // Not JSON: the same error.
  }
  throw damaged();
};

export const currentText = ({ hash, exp, family }: CurrentPart): string => partOf(hash, exp.toString(36), family);

export const parseCurrent = (text: string): CurrentPart => {
  const [hash, exp, family] = wordsOf(text, 3);
  return { hash: hashOf(hash), exp: numberOf(exp), family: hashOf(family) };
};

export const writtenText = ({ at_ms, process }: Written): string => partOf(at_ms.toString(36), process);

export const parseWritten = (text: string): Written => {
  const [at_ms, process] = wordsOf(text, 2);
  return { at_ms: numberOf(at_ms), process: wordOf(process) };
};

export const lastText = (last: LastPart): string =>
  partOf(last.hash, writtenText(last), last.salt, last.key ?? '-', last.request);

export const parseLast = (text: string): LastPart => {
  const [hash, at_ms, process, salt, key, request = ''] = wordsOf(text, 6);
  return {
    hash: hashOf(hash),
    at_ms: numberOf(at_ms),
    process: wordOf(process),
    salt: wordOf(salt),
    key: key === '-' ? null : wordOf(key),
    request,
  };
};

/**
 * Milliseconds since the epoch: the last refresh with a token that is rotated, for lists. A damaged part counts as absent there, because it
 * must hide neither its own grant, which has to be found to be revoked, nor the others of the list.
 */
export const lastRotation = ({ last }: ChainRecord): number | undefined => {
  if (last === null) return undefined;
  try {
    return parseLast(last).at_ms;
  } catch {
    return undefined;
  }
};
