import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue, type ModuleHandlers, type PageRecord, type QueryOptions } from '../../../src/core/query/index.js';
import { everyRow } from '../../rows.js';
import { type Answered, type Json, type QueryHost, startQuery } from '../fixture.js';

/** The owner of the bearer token: `alice` has no rights, `bot` has those of the fixture, `admin` may undelete as well. */
export type As = 'alice' | 'bot' | 'admin' | undefined;

/** A row of `README.md` here: its id, a request, and the code and text of the answer. */
export type Told = readonly [id: string, query: string, code: string, text: string, as?: As];

/** A row: its id, a request, and the parameters that the handler receives, or `nothing` if it is not called. */
export type Given = readonly [id: string, query: string, given: Readonly<Record<string, unknown>> | 'nothing', as?: As];

/** The code and the text of a condition. */
type Condition = readonly [code: string, text: string];

export const CONT: Condition = [
  'badcontinue',
  'Invalid continue param. You should pass the original value returned by the previous query.',
];
export const SHOW: Condition = ['show', 'Incorrect parameter - mutually exclusive values may not be supplied.'];
export const PATROL: Condition = [
  'permissiondenied',
  'You need the "patrol" or "patrolmarks" right to request the patrolled flag.',
];
const listed = (names: readonly string[]): string =>
  `${names.slice(0, -1).map(quote).join(', ')} and ${quote(names.at(-1) ?? '')}`;
export const mix = (...names: readonly string[]): Condition => [
  'invalidparammix',
  `The parameters ${listed(names)} can not be used together.`,
];
export const needsOneOf = (...names: readonly string[]): Condition => [
  'missingparam',
  `One of the parameters ${listed(names)} is required.`,
];
export const mustBeSet = (name: string): Condition => ['missingparam', `The "${name}" parameter must be set.`];
export const empty = (name: string): Condition => [`paramempty_${name}`, `The parameter "${name}" may not be empty.`];
export const notWith = (a: string, b: string): Condition => [
  'invalidparammix',
  `The "${a}" parameter cannot be used with "${b}".`,
];
export const onlyWith = (a: string, b: string): Condition => [
  'invalidparammix',
  `The "${a}" parameter may only be used with "${b}".`,
];
export const badTitle = (text: string): Condition => ['invalidtitle', `Bad title "${text}".`];
export const mayNotView = (what: string): Condition => [
  'permissiondenied',
  `You don't have permission to view ${what}.`,
];
export const badInteger = (name: string, value: string): Condition => [
  'badinteger',
  `Invalid value "${value}" for integer parameter "${name}".`,
];
export const unrecognized = (name: string, value: string): Condition => [
  'unrecognizedvalues',
  `Unrecognized value for parameter "${name}": ${value}`,
];
export const deprecatedValue = (name: string, value: string): Condition => [
  'deprecation',
  `The value "${value}" to parameter "${name}" has been deprecated.`,
];
export const outOfRange = (name: string, value: number, min: number, max: number): Condition => [
  'outofrange',
  `The value "${value}" for parameter "${name}" must be between ${min} and ${max}.`,
];
const quote = (name: string): string => `"${name}"`;

export const PAGES: readonly PageRecord[] = [
  { pageid: 1, ns: 0, title: 'Apple', revids: [11] },
  { pageid: 2, ns: 0, title: 'Banana', revids: [12] },
  { pageid: 3, ns: 14, title: 'Category:Fruit' },
  { pageid: 4, ns: 6, title: 'File:Red.png' },
];

const resolvePages: NonNullable<QueryOptions['resolvePages']> = ({ titles, pageids, revids }) =>
  PAGES.filter(
    ({ title, pageid, revids: own }) =>
      titles.includes(title) || pageids.includes(pageid) || own?.some((id) => revids.includes(id)),
  );

const TOKENS: Readonly<Record<string, string>> = { Alice: 'key' };

const SHARED: QueryOptions = {
  resolvePages,
  verifyWatchlistToken: ({ owner, token }) => {
    const right = TOKENS[owner];
    return owner === 'Nobody' ? 'no-user' : token === right ? 'valid' : 'wrong';
  },
};

interface Asked {
  readonly params: Readonly<Record<string, unknown>>;
  readonly limit: number;
}

/** Two hosts: one that answers nothing, and one whose handlers note what they are given and find nothing. */
export class Hosts {
  #bare: QueryHost | undefined;
  #noting: QueryHost | undefined;
  readonly asked = new Map<string, Asked>();

  /** Starts both before the tests of a file, and ends them after these. */
  constructor() {
    beforeAll(async () => {
      const handlers = Object.values(catalogue).map(({ name, group }) => [
        name,
        ({ params, limit }: Asked) => {
          this.asked.set(name, { params, limit });
          return group === 'list' ? [] : group === 'prop' ? { pages: {} } : { data: {} };
        },
      ]);
      this.#bare = await startQuery(SHARED);
      this.#noting = await startQuery({ ...SHARED, modules: Object.fromEntries(handlers) as ModuleHandlers });
    });
    afterAll(async () => {
      await this.#bare?.close();
      await this.#noting?.close();
    });
  }

  bare = (query: string, as?: As): Promise<Answered> => ask(this.#bare, query, as);
  noting = (query: string, as?: As): Promise<Answered> => ask(this.#noting, query, as);

  /** Requests that are refused. No handler answers them, so that values to go on with are judged by their form. */
  refuse(rows: readonly Told[]): void {
    test('these requests are errors', () =>
      everyRow(rows, async ([, query, code, text, as]) => {
        const { json, status, headers } = await this.bare(query, as);
        expect(conditions(json, 'errors')).toEqual([{ code, text, module: moduleOf(query) }]);
        expect([status, headers.get('mediawiki-api-error')]).toEqual([200, code]);
      }));
  }

  /** Requests that are answered with a remark. */
  warn(rows: readonly Told[]): void {
    test('these requests get a warning', () =>
      everyRow(rows, async ([, query, code, text, as]) => {
        const { json } = await this.noting(query, as);
        expect(json['errors']).toBeUndefined();
        expect(conditions(json, 'warnings')).toContainEqual({ code, text, module: moduleOf(query) });
      }));
  }

  /** Requests that are answered, and what the handler makes its answer of. */
  give(rows: readonly Given[]): void {
    test('the handler receives these parameters', () =>
      everyRow(rows, async ([, query, given, as]) => {
        this.asked.clear();
        const { json } = await this.noting(query, as);
        expect(json['errors']).toBeUndefined();
        const asked = this.asked.get(nameOf(query));
        if (given === 'nothing') expect(asked).toBeUndefined();
        else {
          expect(asked).toBeDefined();
          const all: Readonly<Record<string, unknown>> = { ...asked?.params, limit: asked?.limit };
          expect(Object.fromEntries(Object.keys(given).map((name) => [name, all[name]]))).toEqual(given);
        }
      }));
  }
}

function ask(host: QueryHost | undefined, query: string, as: As): Promise<Answered> {
  if (!host) throw new Error('The hosts are not up yet.');
  return host.get(
    {
      action: 'query',
      formatversion: '2',
      errorformat: 'plaintext',
      ...Object.fromEntries(new URLSearchParams(query)),
    },
    as === undefined ? {} : { as },
  );
}

/** The module that a request is about: the first that it names. */
const nameOf = (query: string): string => /(?:list|prop|meta|generator)=(\w+)/.exec(query)?.[1] ?? '';
const moduleOf = (query: unknown): string => `query+${nameOf(String(query))}`;

interface Shown {
  readonly code: string;
  readonly text: string;
  readonly module: string;
}

export const conditions = (json: Json, key: 'errors' | 'warnings'): readonly Shown[] =>
  [...((json[key] as unknown as readonly Shown[] | undefined) ?? [])].map(({ code, text, module }) => ({
    code,
    text,
    module,
  }));
