import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../hosts/listen.js';

/** What Elasticsearch and OpenSearch answer about an index with fields that are split at spaces, as far as the guide uses it. */

interface Document {
  readonly id: number;
  readonly ns: number;
  readonly title: string;
  readonly text: string;
}

class Refused extends Error {}

/** As those servers do, for keys that they do not know. */
const only = (value: unknown, ...keys: readonly string[]): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) throw new Refused('parsing_exception: an object is expected');
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw new Refused(`parsing_exception: unknown key [${unknown}]`);
  return value as Readonly<Record<string, unknown>>;
};

const termsOf = (text: string): readonly string[] => text.split(/\s+/).filter((term) => term !== '');

/** How often the terms of a phrase follow each other in a text. */
const countPhrase = (text: string, phrase: string): number => {
  const [terms, wanted] = [termsOf(text), termsOf(phrase)];
  return wanted.length === 0
    ? 0
    : terms.filter((_, at) => wanted.every((term, index) => terms[at + index] === term)).length;
};

const FIELDS = ['title', 'text'] as const;

/** The score of a document; 0 if it does not match. */
const scoreOf = (query: unknown, document: Document): number => {
  const [[kind, body] = ['', undefined]] = Object.entries(only(query, 'bool', 'multi_match', 'prefix', 'terms'));
  if (kind === 'multi_match') {
    const { query: phrase, type, fields } = only(body, 'query', 'type', 'fields');
    if (type !== 'phrase' || !Array.isArray(fields)) throw new Refused('query_shard_exception: multi_match');
    return Math.max(...FIELDS.map((name) => (fields.includes(name) ? countPhrase(document[name], String(phrase)) : 0)));
  }
  if (kind === 'prefix') {
    const [[field, start] = ['', '']] = Object.entries(only(body, ...FIELDS));
    return termsOf(String(document[field as 'title'])).some((term) => term.startsWith(String(start))) ? 1 : 0;
  }
  if (kind === 'terms') {
    const { ns } = only(body, 'ns');
    if (!Array.isArray(ns)) throw new Refused('parsing_exception: [terms] needs an array');
    return ns.includes(document.ns) ? 1 : 0;
  }
  const {
    must = [],
    must_not: not = [],
    filter = [],
    should = [],
  } = only(body, 'must', 'must_not', 'filter', 'should');
  const scores = (list: unknown): readonly number[] =>
    (list as readonly unknown[]).map((one) => scoreOf(one, document));
  if (scores(filter).includes(0) || scores(not).some((score) => score > 0)) return 0;
  const [all, some] = [scores(must), scores(should)];
  if (all.includes(0) || (all.length === 0 && some.length > 0 && !some.some((score) => score > 0))) return 0;
  return Math.max(
    1,
    [...all, ...some].reduce((sum, score) => sum + score, 0),
  );
};

const WINDOW = 10_000;

const search = (documents: readonly Document[], body: unknown, state: ServerState): object => {
  const {
    query,
    sort,
    from,
    size,
    track_total_hits: most,
  } = only(body, ...['query', 'sort', 'from', 'size', 'track_total_hits', '_source']);
  if (JSON.stringify(sort) !== '["_score",{"id":"asc"}]') throw new Refused('query_shard_exception: sort');
  const [first, count] = [Number(from), Number(size)];
  if (!(count >= 0) || first + count > WINDOW)
    throw new Refused('query_phase_execution_exception: Result window is too large');
  const found = documents
    .map((document) => ({ document, score: scoreOf(query, document) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.document.id - b.document.id);
  const counted = Math.min(Number(most), state.counts);
  return {
    took: 1,
    timed_out: state.timedOut,
    _shards: { total: 1, successful: 1, skipped: 0, failed: state.failedShards },
    hits: {
      total: found.length > counted ? { value: counted, relation: 'gte' } : { value: found.length, relation: 'eq' },
      max_score: null,
      hits: found
        .slice(first, first + count)
        .map(({ document, score }) => ({ _index: 'pages', _id: String(document.id), _score: score, sort: [score] })),
    },
  };
};

interface ServerState {
  /** The most hits that it counts. */
  counts: number;
  timedOut: boolean;
  failedShards: number;
  isDown: boolean;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};

/** Starts a server without an index. */
export const startSearchServer = async () => {
  const documents = new Map<number, Document>();
  const state: ServerState = { counts: Infinity, timedOut: false, failedShards: 0, isDown: false };
  const answer = (method: string, path: string, body: string): object => {
    if (method === 'PUT' && path === '/pages') {
      const { properties } = only(only(JSON.parse(body), 'mappings')['mappings'], 'dynamic', 'properties');
      const { title, text } = only(properties, 'id', 'ns', 'title', 'text');
      for (const field of [title, text])
        if (JSON.stringify(field) !== '{"type":"text","analyzer":"whitespace"}')
          throw new Refused('mapper_parsing_exception');
      documents.clear();
      return { acknowledged: true };
    }
    if (method === 'POST' && path === '/pages/_bulk') {
      const lines = body.split('\n');
      if (lines.pop() !== '') throw new Refused('The bulk request must be terminated by a newline [\\n]');
      const read = lines.map((line) => JSON.parse(line));
      for (let at = 0; at < read.length; at += 2) documents.set(Number(read[at].index._id), read[at + 1]);
      return { errors: false };
    }
    if (method === 'POST' && path === '/pages/_search') return search([...documents.values()], JSON.parse(body), state);
    throw new Refused('no such route');
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    let [status, value]: [number, object] = [200, {}];
    try {
      if (state.isDown) [status, value] = [503, { error: 'unavailable' }];
      else value = answer(request.method ?? '', request.url ?? '', body);
    } catch (error) {
      [status, value] = [400, { error: { reason: String(error) }, status: 400 }];
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const { origin, close } = await listen(respond);
  return { index: `${origin}/pages`, state, close };
};
