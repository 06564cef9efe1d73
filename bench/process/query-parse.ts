/**
 * Parses and validates a realistic query, compared with ajv and zod, which only check types and bounds of the same values.
 * Measures CPU time in alternating rounds, so that a busy machine slows all of them equally. Runs in its own process with the
 * numbers of rounds and of repetitions per round as arguments, and prints the results as JSON.
 */
import { Ajv } from 'ajv';
import { z } from 'zod';
import { Warnings } from '../../src/core/query/answer/warnings.js';
import { forSite } from '../../src/core/query/catalogue/for-site.js';
import { catalogue } from '../../src/core/query/catalogue/index.js';
import type { ModuleDescriptor, ParamDescriptor } from '../../src/core/query/descriptor/descriptor.js';
import type { ParsedParams } from '../../src/core/query/descriptor/module-params.js';
import { mainModule } from '../../src/core/query/endpoint/main-parameters.js';
import { compileModule, type ModuleParser } from '../../src/core/query/parameters/parse.js';
import { RequestParameters } from '../../src/core/query/parameters/request-parameters.js';
import { queryModule } from '../../src/core/query/run/query-parameters.js';
import { resolveSite } from '../../src/core/query/site/site.js';
import { OURS } from '../candidates.js';
import type { ParseResult } from '../report/results.js';
import { ratios, summary } from '../statistics.js';

/** A list, two props and a generator with fifteen parameters in total. */
const REQUEST: Readonly<Record<string, string>> = {
  action: 'query',
  format: 'json',
  formatversion: '2',
  list: 'recentchanges',
  prop: 'revisions|info',
  generator: 'categorymembers',
  gcmtitle: 'Category:Fruit',
  gcmlimit: '50',
  gcmnamespace: '0|1|14',
  gcmtype: 'page|subcat',
  rvprop: 'ids|timestamp|user|comment|size',
  rvslots: 'main',
  rvdir: 'older',
  inprop: 'url|protection|displaytitle',
  intestactions: 'edit|move',
  rclimit: '100',
  rcstart: '2024-05-06T07:08:09Z',
  rcnamespace: '0|4',
  rcprop: 'title|timestamp|ids|user',
  rcshow: '!bot|!minor',
  rctype: 'edit|new',
};

const MODULES = [
  { module: catalogue.categorymembers, role: 'generator' },
  { module: catalogue.revisions, role: 'module' },
  { module: catalogue.info, role: 'module' },
  { module: catalogue.recentchanges, role: 'module' },
] as const;

const site = resolveSite();
const all = forSite<ModuleDescriptor>(Object.values(catalogue), site);
const source = new RequestParameters();
for (const [name, text] of Object.entries(REQUEST)) source.add(name, { text, malformed: false });

const parsers: readonly ModuleParser[] = [
  compileModule(mainModule, site),
  compileModule(queryModule(all), site),
  ...MODULES.map(({ module, role }) => compileModule(module, site, role)),
];

function parseOurs(): ParsedParams[] {
  const context = {
    highLimits: false,
    now: 1_700_000_000_000,
    warnings: new Warnings(),
  };
  return parsers.map((parser) => parser.parse(source, context));
}

/** The values in the form that a schema library expects: split and by module, as strings where it coerces them. */
function groups(): {
  readonly name: string;
  readonly parameters: Readonly<Record<string, ParamDescriptor>>;
  readonly prefix: string;
}[] {
  const query = queryModule(all);
  return [
    { name: 'main', parameters: mainModule.parameters, prefix: '' },
    { name: 'query', parameters: query.parameters, prefix: '' },
    ...MODULES.map(({ module, role }) => ({
      name: module.name,
      parameters: module.parameters as Readonly<Record<string, ParamDescriptor>>,
      prefix: (role === 'generator' ? 'g' : '') + module.prefix,
    })),
  ];
}

const NAMESPACES = site.namespaces.map(({ id }) => id);

function jsonSchema(p: ParamDescriptor): object {
  const one =
    typeof p.type !== 'string'
      ? { type: 'string', enum: [...p.type] }
      : p.type === 'integer' || p.type === 'limit'
        ? {
            type: 'integer',
            ...(p.min === undefined ? {} : { minimum: p.min }),
            ...(p.max === undefined ? {} : { maximum: p.max }),
          }
        : p.type === 'namespace'
          ? { type: 'integer', enum: NAMESPACES }
          : p.type === 'boolean'
            ? { type: 'boolean' }
            : { type: 'string' };
  return p.multi ? { type: 'array', items: one, maxItems: 50, uniqueItems: true } : one;
}

function zodSchema(p: ParamDescriptor): z.ZodType {
  const one = (): z.ZodType => {
    if (typeof p.type !== 'string') return z.enum([...p.type] as [string, ...string[]]);
    if (p.type === 'integer' || p.type === 'limit') {
      let number = z.coerce.number().int();
      if (p.min !== undefined) number = number.min(p.min);
      if (p.max !== undefined) number = number.max(p.max);
      return number;
    }
    if (p.type === 'namespace') return z.coerce.number().refine((id) => NAMESPACES.includes(id));
    return p.type === 'boolean' ? z.boolean() : z.string();
  };
  return p.multi ? z.array(one()).max(50) : one();
}

const ajv = new Ajv({ coerceTypes: true, useDefaults: true });
const ajvChecks = groups().map(({ parameters, prefix }) => {
  const plain = Object.entries(parameters).filter(([, p]) => !p.templatevars);
  return {
    check: ajv.compile({
      type: 'object',
      properties: Object.fromEntries(plain.map(([name, p]) => [prefix + name, jsonSchema(p)])),
      required: plain.filter(([, p]) => p.required).map(([name]) => prefix + name),
    }),
    multi: new Set(plain.filter(([, p]) => p.multi).map(([name]) => prefix + name)),
    names: new Set(plain.map(([name]) => prefix + name)),
  };
});
const zodChecks = groups().map(({ parameters, prefix }) =>
  z.object(
    Object.fromEntries(
      Object.entries(parameters)
        .filter(([, p]) => !p.templatevars)
        .map(([name, p]) => [prefix + name, p.required ? zodSchema(p) : zodSchema(p).optional()]),
    ),
  ),
);

/** The input of a schema: an object for each module, with booleans by presence and split multi-values. */
function prepare({ names, multi }: (typeof ajvChecks)[number]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const name in REQUEST) {
    if (names.has(name)) input[name] = multi.has(name) ? REQUEST[name]?.split('|') : REQUEST[name];
  }
  return input;
}

const prepared = ajvChecks.map(prepare);
const zodSchemas = zodChecks.map((schema, index) => [schema, ajvChecks[index] ?? ajvChecks[0]] as const);

/** Parses the text of the request, as our parser does. */
const checkAjv = (): boolean => ajvChecks.every((one) => one.check(prepare(one)));
const checkZod = (): boolean =>
  zodSchemas.every(([schema, one]) => one !== undefined && schema.safeParse(prepare(one)).success);
/** Validates prepared objects. ajv has already coerced them in place, so it only compares. */
const compareAjv = (): boolean => ajvChecks.every(({ check }, index) => check(prepared[index]));
const compareZod = (): boolean => zodChecks.every((schema, index) => schema.safeParse(prepared[index]).success);

function microseconds(work: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

const candidates = {
  [OURS]: parseOurs,
  'ajv, from the same texts': checkAjv,
  'zod, from the same texts': checkZod,
  'ajv, values split before': compareAjv,
  'zod, values split before': compareZod,
};
if (!Object.values(candidates).every((work) => work())) throw new Error('Every candidate must accept the request.');
if (parseOurs().length !== parsers.length) throw new Error('A module is missing.');

const [rounds, times] = process.argv.slice(2).map(Number);
if (rounds === undefined || times === undefined) throw new TypeError('usage: query-parse <rounds> <times>');
const taken = new Map(Object.keys(candidates).map((name): [string, number[]] => [name, []]));
for (const work of Object.values(candidates)) microseconds(work, 5 * times);
for (let round = 0; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(candidates)) taken.get(name)?.push(microseconds(work, times));
}
const ours = taken.get(OURS) ?? [];
const results = [...taken].map(([candidate, costs]): ParseResult => ({
  candidate,
  microseconds: summary(costs),
  oursTo: summary(ratios(ours, costs)),
}));
console.log(JSON.stringify(results));
