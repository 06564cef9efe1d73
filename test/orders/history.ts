import { createHash } from 'node:crypto';
import type { oauthQuery } from 'oauth-query/fetch';

export type Server = ReturnType<typeof oauthQuery>;

/** A response of the protocol. */
export interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly headers: Headers;
}

/** What may be used only once, or one after the other. */
export type Thing = 'code' | 'device code' | 'form' | 'pushed request' | 'assertion' | 'proof' | 'refresh token';

/** Whose grants end. A token alone ends itself. */
export interface Ended {
  readonly sub?: string;
  readonly client_id?: string;
  readonly grant?: string;
  readonly token?: string;
  readonly session?: string;
}

/** The use of a thing by a client, or by a thief. */
export interface Use {
  readonly type: 'use';
  readonly thing: Thing;
  readonly text: string;
  readonly sub?: string;
  readonly client_id: string;
  readonly party?: string;
  /** The same request, once more. */
  readonly again: (server: Server) => Promise<unknown>;
}

/** What a request is about. */
export type About =
  | Use
  | { readonly type: 'end'; readonly of: Ended; readonly isErase?: boolean; readonly isOfHost?: boolean }
  | { readonly type: 'approve' | 'deny'; readonly sub: string; readonly client_id: string; readonly scope: string }
  | { readonly type: 'check'; readonly token: string }
  /** A token that another is derived from. */
  | { readonly type: 'derive'; readonly token: string }
  /** A client for itself. */
  | { readonly type: 'own'; readonly client_id: string }
  /** A page of an owner, with the cookies of a session. */
  | { readonly type: 'session'; readonly session: string };

/** A request in the order of time. */
export interface Act {
  readonly actor: string;
  readonly about: readonly About[];
  /** Numbers that grow with time. */
  readonly began: number;
  /** Absent if its process ended, or its client has gone. */
  ended?: number;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  answer?: unknown;
}

export const isAnswer = (answer: unknown): answer is Answer =>
  typeof answer === 'object' && answer !== null && 'status' in answer && 'headers' in answer;

/** A success of an endpoint, or a response with a code. */
export const isSuccess = (answer: unknown): answer is Answer => isAnswer(answer) && answer.status === 200;

/** A response of the protocol, after which the client does not repeat its request. */
export const isDone = (answer: unknown): answer is Answer => isAnswer(answer) && answer.status < 500;

/** The code in the address that a browser is sent to. */
export const codeIn = (answer: unknown): string | undefined => {
  const location = isAnswer(answer) ? answer.headers.get('location') : null;
  return (location !== null && URL.canParse(location) && new URL(location).searchParams.get('code')) || undefined;
};

export const textOf = (answer: unknown, name: string): string | undefined => {
  const value = isAnswer(answer) ? answer.json[name] : Object(answer)[name];
  return typeof value === 'string' ? value : undefined;
};

/** Without the names of processes, which no option decides. In a chain they follow the time of what they did. */
export const digestOf = (value: unknown): string => {
  const text = JSON.stringify(value, (name, member: unknown) =>
    name === 'process' ? undefined : member instanceof Error ? member.message : member,
  );
  return createHash('sha256')
    .update(text.replaceAll(/\b([0-9a-z]{8}) [\w-]{12}(?=[ "])/g, '$1'))
    .digest('hex');
};
