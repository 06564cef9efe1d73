import { readFileSync } from 'node:fs';

/** One parameter as paraminfo has to show it in formatversion 2. */
export type Expected = Record<string, unknown>;

export interface ExpectedModule {
  readonly name: string;
  readonly group: string;
  readonly prefix: string;
  readonly generator: boolean;
  readonly deprecated: boolean;
  readonly parameters: Expected[];
  readonly templatedparameters: Expected[];
}

const TYPES: Readonly<Record<string, string>> = {
  str: 'string',
  int: 'integer',
  bool: 'boolean',
  ts: 'timestamp',
  ns: 'namespace',
  user: 'user',
  title: 'title',
  limit: 'limit',
};

const USUAL_FORMS = ['name', 'ip', 'temp', 'interwiki', 'id'];

const split = (text: string): string[] => text.split('|');

/** `attribute value` pairs; an attribute without a value is there or not. */
const attributesOf = (texts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    texts.map((text) => {
      const [, name = text, value = ''] = /^(deprecated values|\w+)(?: (.*))?$/.exec(text) ?? [];
      return [name, value];
    }),
  );

const noteOf = (note: string): Expected => {
  const [name, values] = note.split(' ');
  return { name, ...(values === undefined ? {} : { values: values.split(',').map(Number) }) };
};

const expectedParameter = (line: string, index: number, sets: ReadonlyMap<string, string[]>): Expected => {
  const [head = '', ...rest] = line.trim().split('; ');
  const [, name = '', type = ''] = /^([^:]+): (.*)$/.exec(head) ?? [];
  const [, set] = /^enum (\w+)$/.exec(type) ?? [];
  const [, listed] = /^enum\{(.*)\}$/.exec(type) ?? [];
  const shown = set !== undefined ? sets.get(set) : listed !== undefined ? split(listed) : TYPES[type];
  if (shown === undefined) throw new Error(`What is "${type}" in "${line}"?`);
  const has = attributesOf(rest);
  const numeric = shown === 'integer' || shown === 'namespace' || shown === 'limit';
  const text = has.get('default')?.slice(1, -1);
  const [variable, source] = has.get('templated')?.split('=') ?? [];
  const number = (key: string): Expected => (has.has(key) ? { [key]: Number(has.get(key)) } : {});
  return {
    index,
    name,
    ...(variable === undefined ? {} : { templatevars: { [variable]: source } }),
    type: shown,
    required: has.has('required'),
    ...(has.has('deprecated') ? { deprecated: true } : {}),
    ...(has.has('sensitive') ? { sensitive: true } : {}),
    ...(text === undefined ? {} : { default: numeric ? Number(text) : text }),
    multi: has.has('multi'),
    ...(has.has('multi') ? { lowlimit: 50, highlimit: 500, limit: 50 } : {}),
    ...(has.has('duplicates') ? { allowsduplicates: true } : {}),
    ...(has.has('all') ? { allspecifier: has.get('all') } : {}),
    ...number('min'),
    ...number('max'),
    ...number('highmax'),
    ...(has.has('deprecated values') ? { deprecatedvalues: split(has.get('deprecated values') ?? '') } : {}),
    ...(type === 'user' ? { subtypes: has.has('forms') ? split(has.get('forms') ?? '') : USUAL_FORMS } : {}),
    ...(has.has('extra') ? { extranamespaces: (has.get('extra') ?? '').split(',').map(Number) } : {}),
    ...(type === 'title' ? { mustExist: false } : {}),
    ...(has.has('note') ? { info: [noteOf(has.get('note') ?? '')] } : {}),
  };
};

const expectedModule = (line: string): ExpectedModule => {
  const [, name = '', group = '', prefix = '', flags = ''] = /^(\w+) \((\w+), ([\w-]+)\)(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`What is "${line}"?`);
  return {
    name,
    group,
    prefix: prefix === '-' ? '' : prefix,
    generator: flags.includes(' generator'),
    deprecated: flags.includes(' deprecated'),
    parameters: [],
    templatedparameters: [],
  };
};

/** Reads the transcription: what every module must look like to those who ask for its description. */
export const readTranscription = (): readonly ExpectedModule[] => {
  const text = readFileSync(new URL('transcription.txt', import.meta.url), 'utf8');
  const sets = new Map<string, string[]>();
  const modules: ExpectedModule[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, set, values] = /^SET (\w+) (.*)$/.exec(line) ?? [];
    const module = modules.at(-1);
    if (set !== undefined && values !== undefined) sets.set(set, split(values));
    else if (!line.startsWith(' ')) modules.push(expectedModule(line));
    else if (module) {
      const index = module.parameters.length + module.templatedparameters.length + 1;
      const parameter = expectedParameter(line, index, sets);
      (parameter.templatevars === undefined ? module.parameters : module.templatedparameters).push(parameter);
    }
  }
  return modules;
};
