/** Generates `docs/options.md`: every option in the tables that validate options, with the type and docstring of its interface. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Comment, parseSync, type TSSignature, type TSType } from 'oxc-parser';
import { format } from 'oxfmt';
import { RESOURCE_DEFINITION } from '../src/core/base/resource-metadata.js';
import type { Table } from '../src/core/base/schema.js';
import { CLIENT_FIELDS } from '../src/core/oauth/clients/check-registration.js';
import { USER_FIELDS } from '../src/core/oauth/sign-in/users.js';
import { QUERY_OPTIONS } from '../src/core/query/option-table.js';
import { SCOPE_FIELDS, SERVER_OPTIONS } from '../src/core/server/options/server-table.js';
import { MCP_OPTIONS } from '../src/mcp/options.js';
import { OPENID_OPTIONS } from '../src/openid/options.js';

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
      const { typeAnnotation: type } = signature.typeAnnotation;
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
    const known = types.get(type.typeName.name);
    return known ? known() : new Map(type.typeArguments?.params.flatMap((one) => [...below(one)]));
  };
  const add = (name: string, members: () => Members): void =>
    void types.set(name, types.has(name) ? undefined : members);
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined;
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

const HEADINGS = ['Option', 'Type', 'Default', 'Must be', 'Meaning'];

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

/** The column before the meaning has the default already, unless the meaning says it in other words. */
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
    const type = member && !member.type.startsWith('{') ? `\`${member.type}\`` : '';
    if (isGroup(inner, lower)) {
      const heading = headings.get(inner) ?? `${title}.${at}`;
      if (!headings.has(inner)) {
        headings.set(inner, heading);
        groups.push(section(at, inner, lower, member?.meaning ?? '', title));
      }
      return [`[\`${name}\`](#${heading.replaceAll('.', '').toLowerCase()})`, type, preset, '', member?.meaning ?? ''];
    }
    return [`\`${name}\``, type, preset, takes, withoutDefault(member?.meaning ?? '', preset)];
  });
  // What all of them must be stands once, above the table.
  const same = rows.length > 1 && rows.every((row) => row[3] === rows[0]?.[3]) ? (rows[0]?.[3] ?? '') : '';
  if (same !== '') for (const row of rows) row[3] = '';
  const table = [HEADINGS, HEADINGS.map(() => '-'), ...rows].map((row) =>
    row.filter((_text, column) => rows.some((one) => one[column] !== '')),
  );
  const lines = table.map((row) => `| ${row.map(cell).join(' | ')} |`);
  const heading = `## ${title}${path === '' ? '' : `.${path}`}`;
  return [heading, meaning, same && `Each must be ${same}.`, lines.join('\n'), ...groups]
    .filter((part) => part !== '')
    .join('\n\n');
};

/** The fields of something that an option contains. */
const fields = (title: string, about: string, table: Table, members: Members): string => {
  const rows = Object.entries(table).map(([name, { takes }]) => {
    const member = members.get(name);
    if (!member?.meaning) throw new Error(`The field ${name} of ${title} has no docstring.`);
    return `| ${[`\`${name}\``, cell(takes), cell(member.meaning)].join(' | ')} |`;
  });
  return [`## Fields of ${title}`, about, ['| Field | Must be | Meaning |', '| - | - | - |', ...rows].join('\n')].join(
    '\n\n',
  );
};

/** Options that the core requires, and for which adapters have a value. */
const OF_ADAPTERS: Readonly<Record<string, string>> = { store: '`memoryStore()`', runtime: 'that of Node' };

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

The options of \`oauthQuery({ … })\`. All can be left out, except those whose default is "required": these are needed in the object they belong to. "Must be" says what the server checks at the start.

- The fields of [a client](#fields-of-a-client), [a scope](#fields-of-a-scope), [a resource](#fields-of-a-resource), [a user](#fields-of-a-user)
- The options of [\`query\`](#query), [\`mcp\`](#mcp) and [\`openid\`](#openid)
- The options of other values are on their pages: [\`dpop\`](dpop.md), [\`pushedRequests\`](pushed-requests.md), [\`adminPages\`](administrators.md), [\`clientDocuments\`](self-registration.md#clients-that-publish-a-document), [the verifiers](guard.md#in-another-process-by-introspection)
- How to use them: [the authorization server](authorization-server.md), [the query API](query.md)

${section('', SERVER_OPTIONS, membersOf('ServerOptions'), '')}

${fields('a client', 'One entry of `options.clients`, or a row that `clients.find` returns. Names are those of RFC 7591.', CLIENT_FIELDS, membersOf('ClientRegistration'))}

${fields('a scope', 'A value in `options.scopes`. Text alone is the description.', SCOPE_FIELDS, membersOf('ScopeDefinition'))}

${fields('a resource', 'A value in `options.resources`.', RESOURCE_DEFINITION, membersOf('ResourceDefinition'))}

${fields('a user', 'One entry of `options.users`.', USER_FIELDS, membersOf('User'))}

${section('', QUERY_OPTIONS, membersOf('QueryOptions'), 'What `query({ … })` of `oauth-query/query` takes.', 'query')}

${section('', MCP_OPTIONS, membersOf('McpOptions'), 'What `mcp({ … })` of `oauth-query/mcp` takes.', 'mcp')}

${section('', OPENID_OPTIONS, membersOf('OpenIdOptions'), 'What `openIdConnect({ … })` of `oauth-query/openid` takes.', 'openid')}
`;
  const settings = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as { printWidth: number };
  return (await format('options.md', text, { printWidth: settings.printWidth })).code;
};
