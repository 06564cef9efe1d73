/** Generates `docs/options.md`: every option in the tables that validate options, with the type and docstring of its interface. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Comment, parseSync, type TSSignature, type TSType } from 'oxc-parser';
import { format } from 'oxfmt';
import { RESOURCE_DEFINITION } from '../src/core/base/resource-metadata.js';
import type { Table } from '../src/core/base/schema.js';
import { CLIENT_FIELDS } from '../src/core/oauth/clients/client-fields.js';
import { USER_FIELDS } from '../src/core/oauth/sign-in/users.js';
import { QUERY_OPTIONS } from '../src/core/query/option-table.js';
import { SCOPE_FIELDS, SERVER_OPTIONS } from '../src/core/server/options/server-table.js';
import { OPENID_OPTIONS } from '../src/features/openid/options.js';
import { MCP_OPTIONS } from '../src/mcp/options.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A member of an interface: its type as written in the source, and its docstring. */
interface Member {
  readonly type: string;
  readonly meaning: string;
  /** The members of its type, if it is one of ours. */
  readonly members: () => Members;
}

type Members = ReadonlyMap<string, Member>;

const NONE: Members = new Map();

/** A docstring on one line, without its tags. */
const meaningOf = ({ value }: Comment): string =>
  value
    .replace(/^\s*\*+ ?/gm, '')
    .replace(/^@.*$/gms, '')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim();

/** The members of two alternatives. A member of both has both meanings. */
const joined = (one: Members, other: Members): Members => {
  const all = new Map([...one, ...other]);
  for (const [name, a] of one) {
    const b = other.get(name);
    if (b === undefined) continue;
    const meaning = [a, b].map((member) => `\`${member.type}\`: ${member.meaning}`).join(' ');
    all.set(name, { type: `${a.type} | ${b.type}`, meaning, members: () => joined(a.members(), b.members()) });
  }
  return all;
};

/** A type without `| undefined` at its end, which every option has. */
const present = (type: TSType): TSType => {
  if (type.type === 'TSParenthesizedType') return type.typeAnnotation;
  if (type.type !== 'TSUnionType' || type.types.at(-1)?.type !== 'TSUndefinedKeyword') return type;
  const [only, ...more] = type.types.slice(0, -1);
  if (only === undefined) return type;
  return more.length === 0 ? present(only) : { ...type, types: [only, ...more], end: more.at(-1)?.end ?? type.end };
};

/** The types in all sources, by name. Names that two files use are left out. */
const types = new Map<string, (() => Members) | undefined>();

const read = (path: string): void => {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const { program, comments } = parseSync(path, source, { lang: 'ts' });
  const docstring = (start: number): Comment | undefined =>
    comments.findLast((comment) => comment.end <= start && source.slice(comment.end, start).trim() === '');
  const text = ({ start, end }: { readonly start: number; readonly end: number }): string =>
    source
      .slice(start, end)
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\s+/g, ' ');
  const memberOf = (signature: TSSignature): Omit<Member, 'meaning'> | undefined => {
    if (signature.type === 'TSPropertySignature' && signature.typeAnnotation) {
      const type = present(signature.typeAnnotation.typeAnnotation);
      return { type: text(type), members: () => below(type) };
    }
    if (signature.type !== 'TSMethodSignature' || !signature.returnType) return undefined;
    const parameters = signature.params.map(text).join(', ');
    return { type: `(${parameters}) => ${text(signature.returnType.typeAnnotation)}`, members: () => NONE };
  };
  const membersOf = (signatures: readonly TSSignature[]): Members =>
    new Map(
      signatures.flatMap((signature): readonly (readonly [string, Member])[] => {
        const member = memberOf(signature);
        const comment = docstring(signature.start);
        return member && 'key' in signature && signature.key.type === 'Identifier'
          ? [[signature.key.name, { ...member, meaning: comment ? meaningOf(comment) : '' }]]
          : [];
      }),
    );
  const below = (type: TSType): Members => {
    if (type.type === 'TSTypeLiteral') return membersOf(type.members);
    if (type.type === 'TSUnionType') return type.types.map(below).reduce(joined, NONE);
    if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return NONE;
    const known = types.get(type.typeName.name)?.() ?? NONE;
    return known.size > 0 ? known : new Map(type.typeArguments?.params.flatMap((one) => [...below(one)]));
  };
  const add = (name: string, members: () => Members): void =>
    void types.set(name, types.has(name) ? undefined : members);
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type === 'TSInterfaceDeclaration') {
      const inherited = (): Members =>
        new Map(
          declared.extends.flatMap(({ expression }) =>
            expression.type === 'Identifier' ? [...(types.get(expression.name)?.() ?? NONE)] : [],
          ),
        );
      add(declared.id.name, () => new Map([...inherited(), ...membersOf(declared.body.body)]));
    }
    if (declared?.type === 'TSTypeAliasDeclaration') add(declared.id.name, () => below(declared.typeAnnotation));
  }
};

/** Options with a heading of their own. Handlers have the names of the modules, which the help lists. */
const isGroup = (fields: Table | undefined, members: Members): fields is Table =>
  fields !== undefined && (members.size > 0 || Object.values(fields).every((field) => field.default !== undefined));

/** What the server checks, in few words: without an example, unless the meaning has none. */
const checkOf = (takes: string, meaning: string, preset: string): string => {
  if (takes === 'true or false') return preset === '' ? 'boolean' : '';
  // Its meaning says when a function is called, and what it returns.
  if (takes.startsWith('a function') && /^(?:[A-Z]\w+s|Called|Rights) /.test(meaning)) return 'function';
  const hasExample = preset !== '' || /such as|`[{[]/.test(meaning);
  return (hasExample ? takes.replace(/, such as (?:.*(, or an array)|.*)/, '$1') : takes)
    .replace(/^a whole number of (.+) from (\d+) to (\d+)/, '$2 to $3 $1')
    .replace('an https address, or an http one on loopback', 'https; http on loopback')
    .replace('a path that begins with a slash, without placeholders, query or percent escapes', 'path')
    .replace(/^an? (?=function|array|object|string|non-empty|path|colour|title|whole)/, '');
};

/** Whether the meaning says the same: all values by name, or the schemes of a URL. */
const isSaid = (check: string, meaning: string): boolean => {
  const values = check.match(/'[\w-]+'/g) ?? [];
  const isEnumeration = values.length > 0 && check.replaceAll(/'[\w-]+'|, | or /g, '') === '';
  if (isEnumeration) return values.every((value) => meaning.includes(`\`${value.slice(1, -1)}\``));
  // Said above the fields of a client; the verb at the beginning of a meaning says that it is of a function.
  if (['https; http on loopback', 'function'].includes(check)) return true;
  const words = check.toLowerCase().match(/[\w/]{4,}|\d+|''/g) ?? [];
  return words.length > 0 && words.every((word) => meaning.toLowerCase().includes(word));
};

/** One option or field. A part that says nothing new is omitted. */
const item = (
  name: string,
  { meaning, takes = '', preset = '' }: { meaning: string; takes?: string; preset?: string },
): string => {
  const known = ['', 'none'].includes(preset) ? '' : preset === 'required' ? 'required' : `default ${preset}`;
  const tail = [isSaid(takes, meaning) ? '' : takes, known].filter((part) => part !== '').join('; ');
  return [`- ${name}:`, meaning, tail && `(${tail})`].filter((part) => part !== '').join(' ');
};

/** The default stands at the end of each item, unless the meaning says it in other words. */
const withoutDefault = (meaning: string, preset: string): string => {
  const plain = (text: string): string => text.replace(/[`'\s]/g, '');
  return meaning.replace(/ Default:? ([^.]+)\.$/, (whole, said: string) =>
    plain(said) === plain(preset) ? '' : whole,
  );
};

/** The heading of each table of options. Options with the same table share it. */
const headings = new Map<Table, string>();

/** The options at one path, and those below. */
const section = (path: string, fields: Table, members: Members, meaning: string, title = 'options'): string => {
  const groups: string[] = [];
  const rows = Object.entries(fields).map(([name, { takes, default: usual = '', fields: inner }]) => {
    const member = members.get(name);
    const at = path === '' ? name : `${path}.${name}`;
    const preset = (title === 'options' && OF_ADAPTERS[at]) || usual;
    if (members.size > 0 && !member?.meaning) throw new Error(`${title}.${at} has no docstring.`);
    const lower = member?.members() ?? NONE;
    const plain = `\`${name}\``;
    if (isGroup(inner, lower)) {
      const heading = headings.get(inner) ?? `${title}.${at}`;
      const link = `see [${heading}](#${heading.replaceAll('.', '').toLowerCase()}).`;
      if (headings.has(inner)) return { plain, link, takes: '' };
      headings.set(inner, heading);
      groups.push(section(at, inner, lower, member?.meaning ?? '', title));
      return { plain, link, takes: '' };
    }
    const said = withoutDefault(member?.meaning ?? '', preset);
    return { plain, takes: checkOf(takes, said, preset), preset, meaning: said };
  });
  // What all of them must be stands once, above the list.
  const same = rows.length > 1 && rows.every(({ takes }) => takes === rows[0]?.takes) ? (rows[0]?.takes ?? '') : '';
  const lines = rows.map(({ plain, link, takes, preset, meaning }) =>
    item(plain, link === undefined ? { meaning, preset, takes: same === '' ? takes : '' } : { meaning: link }),
  );
  const heading = `## ${title}${path === '' ? '' : `.${path}`}`;
  return [heading, meaning, same && `Each: ${same}.`, lines.join('\n'), ...groups]
    .filter((part) => part !== '')
    .join('\n\n');
};

/** The fields of something that an option contains. */
const fields = (title: string, about: string, table: Table, members: Members): string => {
  const rows = Object.entries(table).map(([name, { takes }]) => {
    const member = members.get(name);
    if (!member?.meaning) throw new Error(`The field ${name} of ${title} has no docstring.`);
    return item(`\`${name}\``, { meaning: member.meaning, takes: checkOf(takes, member.meaning, '') });
  });
  return [`## Fields of ${title}`, about, rows.join('\n')].join('\n\n');
};

/** What the core requires, and for which adapters have a value. */
const OF_ADAPTERS: Readonly<Record<string, string>> = { store: '`memoryStore()`' };

/** The whole document, formatted. */
export const optionReference = async (): Promise<string> => {
  types.clear();
  headings.clear();
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  for (const name of sources) read(join('src', name));
  const membersOf = (name: string): Members => types.get(name)?.() ?? NONE;
  const text = `# Every option

The options of \`oauthQuery({ … })\`. All are optional, except those marked "required". In parentheses: what the server checks at startup, where the sentence does not say it, and the default. A path begins with a slash, without placeholders, query or percent escapes. The types are \`ServerOptions\`, \`QueryOptions\`, \`McpOptions\` and \`OpenIdOptions\`.

The options of [\`query\`](#query), [\`mcp\`](#mcp) and [\`openid\`](#openid) are below, those of other features on their pages: [\`dpop\`](hardening.md#sender-constrained-tokens-dpop), [\`pushedRequests\`](hardening.md#pushed-authorization-requests-par), [\`adminPages\`](users-and-administrators.md#a-page-for-administrators), [\`sessions\`](users-and-administrators.md#log-out-everywhere), [\`personalTokens\`](users-and-administrators.md#personal-tokens), [\`clientDocuments\`](clients.md#client-id-metadata-documents), [the verifiers](guard.md#in-another-process-by-introspection).

${section('', SERVER_OPTIONS, membersOf('ServerOptions'), '')}

${fields('a client', 'One entry of `options.clients`, or a row that `clients.find` returns. Names are those of RFC 7591. URLs are https, or http on loopback.', CLIENT_FIELDS, membersOf('ClientRegistration'))}

${fields('a scope', 'A value in `options.scopes`. A string alone is the description.', SCOPE_FIELDS, membersOf('ScopeDefinition'))}

${fields('a resource', 'A value in `options.resources`.', RESOURCE_DEFINITION, membersOf('ResourceDefinition'))}

${fields('a user', 'One entry of `options.users`.', USER_FIELDS, membersOf('User'))}

${section('', QUERY_OPTIONS, membersOf('QueryOptions'), 'The options of `query({ … })` of `oauth-query/query`.', 'query')}

${section('', MCP_OPTIONS, membersOf('McpOptions'), 'The options of `mcp({ … })` of `oauth-query/mcp`.', 'mcp')}

${section('', OPENID_OPTIONS, membersOf('OpenIdOptions'), 'The options of `openIdConnect({ … })` of `oauth-query/openid`.', 'openid')}
`;
  const settings = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as { printWidth: number };
  return (await format('options.md', text, { printWidth: settings.printWidth })).code;
};
