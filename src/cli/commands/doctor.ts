import { randomBytes } from 'node:crypto';
import { parseUrl } from '../../core/base/addresses/url.js';
import { type Command, EXIT, readArguments, UsageError, wholeNumber } from '../command.js';
import { type AssertionSubject, examineAssertions } from '../doctor/assertions.js';
import { examine } from '../doctor/examine.js';
import { examineFapi2 } from '../doctor/fapi2.js';
import type { Finding } from '../doctor/finding.js';
import { examineMcp } from '../doctor/mcp.js';
import { examineOpenId, type OpenIdSubject } from '../doctor/openid.js';
import { Probe } from '../doctor/probe.js';
import type { Credentials } from '../doctor/subject.js';
import { upgradesIn } from '../doctor/upgrade.js';
import type { WalkSubject } from '../doctor/walk.js';
import { readInput, readLines, readSecret } from '../input.js';
import { count, type Style, type Terminal, wrap } from '../terminal.js';

const OPTIONS = {
  api: { type: 'string' },
  mcp: { type: 'string' },
  openid: { type: 'string' },
  assertions: { type: 'string' },
  'assertion-stdin': { type: 'boolean' },
  send: { type: 'boolean' },
  fapi2: { type: 'string' },
  'redirect-uri': { type: 'string' },
  'client-id': { type: 'string' },
  'secret-stdin': { type: 'boolean' },
  upgrade: { type: 'boolean' },
  timeout: { type: 'string' },
  quiet: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Arguments = ReturnType<typeof readArguments<typeof OPTIONS>>['values'];

const WELL_KNOWN = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?=\/|$)/;

/** The issuer. The URL of its metadata, and a trailing slash, are accepted too. */
const issuerOf = (text: string): string => {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`The issuer must be a URL such as https://example.org, not ${JSON.stringify(text)}.`);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new UsageError('The URL must not have a query, fragment, user name or password. Remove it.');
  return url.origin + url.pathname.replace(WELL_KNOWN, '').replace(/\/$/, '');
};

const apiOf = (issuer: string, option: string | undefined): URL => {
  if (option === undefined) return new URL(`${issuer}/api`);
  if (!option.startsWith('/'))
    throw new UsageError(`--api must be a path below the issuer, such as /api, not ${JSON.stringify(option)}.`);
  return new URL(issuer + option);
};

const credentialsOf = async (
  client_id: string | undefined,
  fromStdin: boolean,
  terminal: Terminal,
): Promise<Credentials | undefined> => {
  if ((client_id !== undefined) !== fromStdin)
    throw new UsageError('--client-id and --secret-stdin must be used together.');
  return client_id === undefined ? undefined : { client_id, client_secret: await readSecret(terminal) };
};

/** @param others - Arguments that have no meaning here. */
const alone = (option: string, because: string, others: Readonly<Record<string, unknown>>): void => {
  const other = Object.keys(others).find((name) => others[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(`${option} cannot be used with ${other}, because ${because}. Remove ${other}.`);
};

const mcpOf = (text: string): URL => {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? ''))
    throw new UsageError(
      `--mcp must be the URL of an MCP server, such as https://example.org/mcp, not ${JSON.stringify(text)}.`,
    );
  return new URL(text);
};

const clientOf = (
  option: string,
  client_id: string | undefined,
  redirect_uri: string | undefined,
): OpenIdSubject['client'] => {
  if ((client_id !== undefined) !== (redirect_uri !== undefined))
    throw new UsageError(`With ${option}, --client-id and --redirect-uri must be used together.`);
  return client_id === undefined || redirect_uri === undefined ? undefined : { client_id, redirect_uri };
};

/** What standard input has for `--assertions`: an assertion, and then the secret of the client. */
const presentedIn = async (
  {
    'assertion-stdin': hasAssertion = false,
    send = false,
    'client-id': client_id,
    'secret-stdin': hasSecret = false,
  }: Arguments,
  terminal: Terminal,
): Promise<Pick<AssertionSubject, 'assertion' | 'send' | 'credentials'>> => {
  if (send && !hasAssertion) throw new UsageError('--send needs --assertion-stdin.');
  if (hasSecret && client_id === undefined) throw new UsageError('--secret-stdin needs --client-id.');
  const count = Number(hasAssertion) + Number(hasSecret);
  const lines = count === 0 ? [] : await readLines(terminal, count);
  const client_secret = hasSecret ? lines.at(-1) : undefined;
  const credentials = client_id === undefined || client_secret === undefined ? undefined : { client_id, client_secret };
  return { assertion: hasAssertion ? lines[0] : undefined, send, credentials };
};

type Level = Finding['level'];

const STYLES: Readonly<Record<Level, Style>> = { ok: 'green', note: 'cyan', warning: 'yellow', error: 'red' };

const summaryOf = (findings: readonly Finding[]): Readonly<Record<Level, number>> => {
  const number = (level: Level): number => findings.filter((finding) => finding.level === level).length;
  return { ok: number('ok'), note: number('note'), warning: number('warning'), error: number('error') };
};

const print = ({ level, rule, seen, why = '', remedy = '' }: Finding, terminal: Terminal): void => {
  const head = terminal.style(STYLES[level], level.padEnd(8));
  if (level === 'ok') {
    terminal.print(`${head}${seen}`);
    return;
  }
  terminal.print(`${head}${terminal.style('bold', rule)}`);
  for (const [label, text] of Object.entries({ Seen: seen, Why: why, Do: remedy })) {
    const [first = '', ...others] = wrap(text, 85);
    terminal.print(`          ${label.padEnd(5)}${first}`);
    for (const line of others) terminal.print(`               ${line}`);
  }
};

/** The part of the subject that both kinds of checks share. */
type Means = Pick<WalkSubject, 'probe' | 'findings' | 'unknownClient'>;

/** Checks what the arguments name. @returns its address. */
const examineAsked = async (
  values: Arguments,
  given: string | undefined,
  means: Means,
  terminal: Terminal,
): Promise<string> => {
  const { api, mcp, openid, fapi2, 'client-id': client, 'redirect-uri': redirect, 'secret-stdin': secret } = values;
  const others = { issuer: given, '--api': api, '--secret-stdin': secret };
  if (mcp !== undefined) {
    const all = { ...others, '--client-id': client, '--redirect-uri': redirect, '--openid': openid, '--fapi2': fapi2 };
    alone('--mcp', 'it discovers the authorization server', all);
    const address = mcpOf(mcp);
    await examineMcp({ ...means, address });
    return address.href;
  }
  if (openid !== undefined) {
    alone('--openid', 'its URL is the issuer, and no secret is needed', { ...others, '--fapi2': fapi2 });
    const issuer = issuerOf(openid);
    const of = clientOf('--openid', client, redirect);
    await examineOpenId({ ...means, issuer, address: new URL(issuer), client: of });
    return issuer;
  }
  if (values.assertions !== undefined) {
    alone('--assertions', 'its URL is the issuer', {
      issuer: given,
      '--api': api,
      '--redirect-uri': redirect,
      '--fapi2': fapi2,
    });
    const issuer = issuerOf(values.assertions);
    await examineAssertions({ ...means, issuer, address: new URL(issuer), ...(await presentedIn(values, terminal)) });
    return issuer;
  }
  if (values['assertion-stdin'] !== undefined || values.send !== undefined)
    throw new UsageError('--assertion-stdin and --send are only for --assertions. Remove them.');
  if (fapi2 !== undefined) {
    alone('--fapi2', 'its URL is the issuer, and no secret is needed', others);
    const issuer = issuerOf(fapi2);
    await examineFapi2({ ...means, issuer, client: clientOf('--fapi2', client, redirect) });
    return issuer;
  }
  if (redirect !== undefined) throw new UsageError('--redirect-uri is only for --openid and --fapi2. Remove it.');
  if (given === undefined) throw new UsageError('Specify the issuer, for example https://example.org.');
  const issuer = issuerOf(given);
  const credentials = await credentialsOf(client, secret ?? false, terminal);
  await examine({ ...means, issuer, api: apiOf(issuer, api), credentials });
  return issuer;
};

/** Prints the options of earlier versions in source files. */
const printUpgrades = async (
  { json = false, ...values }: Arguments,
  files: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  const others = Object.entries(values).filter(([name]) => name !== 'upgrade' && name !== 'quiet');
  alone('--upgrade', 'it reads source files', Object.fromEntries(others.map(([name, value]) => [`--${name}`, value])));
  if (files.length === 0) throw new UsageError('Name the files with your options, for example src/auth.ts.');
  const sources = await Promise.all(files.map(async (file) => ({ file, text: await readInput(file, terminal) })));
  const found = upgradesIn(sources);
  if (json) terminal.print(JSON.stringify(found));
  else {
    for (const { file, line, option, now, write } of found) {
      terminal.print(`${file}:${line}: ${terminal.style('bold', option)} is now ${now}.`);
      terminal.print(`  ${write}`);
    }
    terminal.print(`${count(found.length, 'option')} of earlier versions in ${count(files.length, 'file')}.`);
  }
  return found.length > 0 ? EXIT.failed : EXIT.fine;
};

export const doctor: Command = {
  help: `oauth-query doctor: check a running server from the outside, and explain the findings

  oauth-query doctor [--api /api] [--client-id ID --secret-stdin] [--timeout 5] [--quiet] [--json]
                     <issuer>
  oauth-query doctor --mcp https://example.org/mcp [--timeout 5] [--quiet] [--json]
  oauth-query doctor --openid https://example.org [--client-id ID --redirect-uri URI] [--timeout 5]
                     [--quiet] [--json]
  oauth-query doctor --assertions https://example.org [--assertion-stdin [--send]]
                     [--client-id ID [--secret-stdin]] [--timeout 5] [--quiet] [--json]
  oauth-query doctor --fapi2 https://example.org [--client-id ID --redirect-uri URI] [--timeout 5]
                     [--quiet] [--json]
  oauth-query doctor --upgrade <file>… [--json]

Sends about thirty requests, one after another, without credentials. Checks the metadata, TLS,
token endpoint, pages, keys and query API, and whether a proxy changes requests or responses.
Each finding states the observation, why it matters, and what to do. It changes nothing.

  --api           The path of the query API below the issuer. Default: /api
  --client-id     A confidential client that may use client_credentials, for further checks: it
                  requests a token, inspects it and revokes it.
  --secret-stdin  Read the secret of this client from standard input.
  --mcp           Check an MCP server instead: take the steps of a client that is given this URL,
                  up to the first problem that would stop it.
  --openid        Check OpenID Connect instead: take the steps of an application that is given this
                  issuer, up to the first problem that would stop it. With --client-id and
                  --redirect-uri of a registered client also a request with prompt=none.
  --assertions    Check instead how a server accepts assertions of other servers. With --client-id
                  and --secret-stdin as that client.
  --assertion-stdin
                  Read an assertion from standard input, and name the first rule that it breaks. It
                  is not sent. The secret of the client stands in the next line.
  --send          Send that assertion, which may use it up.
  --fapi2         Name each departure from the FAPI 2.0 Security Profile that can be seen from the
                  outside, TLS included. With --client-id and --redirect-uri of a registered client
                  also whether it must push its requests and authenticate.
  --redirect-uri  A redirect URI of the client, for --openid and --fapi2.
  --upgrade       Read source files instead, and print for each option of an earlier version what
                  to write now. Nothing is run, sent or changed.
  --timeout       Seconds for each request, from 1 to 60. Default: 5
  --quiet         Omit checks that passed.
  --json          Print JSON.

The exit code is 1 if there is an error, and 0 if there are only warnings and notes.

Example:
  oauth-query doctor https://example.org
`,
  run: async (args, terminal) => {
    const { values, positionals } = readArguments(args, OPTIONS, Infinity);
    if (values.upgrade) return printUpgrades(values, positionals, terminal);
    const [issuer, extra] = positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
    const probe = new Probe(1000 * wholeNumber('--timeout', values.timeout ?? '5', 1, 60));
    const findings: Finding[] = [];
    const unknownClient = `oauth-query-doctor-${randomBytes(6).toString('hex')}`;
    const about = await examineAsked(values, issuer, { probe, findings, unknownClient }, terminal);

    const summary = summaryOf(findings);
    const { requests } = probe;
    if (values.json) terminal.print(JSON.stringify({ issuer: about, requests, summary, findings }));
    else {
      for (const finding of findings) if (!values.quiet || finding.level !== 'ok') print(finding, terminal);
      const { ok, note, warning, error } = summary;
      const parts = [`${ok} ok`, count(note, 'note'), count(warning, 'warning'), count(error, 'error')];
      terminal.print(`\n${about}: ${parts.join(', ')} (${count(requests, 'request')}).`);
    }
    return summary.error > 0 ? EXIT.failed : EXIT.fine;
  },
};
