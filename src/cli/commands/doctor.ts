import { randomBytes } from 'node:crypto';
import { type Command, EXIT, readArguments, UsageError, wholeNumber } from '../command.js';
import { examine } from '../doctor/examine.js';
import type { Finding } from '../doctor/finding.js';
import { examineMcp, type McpSubject } from '../doctor/mcp.js';
import { Probe } from '../doctor/probe.js';
import type { Credentials } from '../doctor/subject.js';
import { readSecret } from '../input.js';
import { count, type Style, type Terminal, wrap } from '../terminal.js';
import { parseUrl } from '../../core/base/url.js';

const OPTIONS = {
  api: { type: 'string' },
  mcp: { type: 'string' },
  'client-id': { type: 'string' },
  'secret-stdin': { type: 'boolean' },
  timeout: { type: 'string' },
  quiet: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const WELL_KNOWN = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?=\/|$)/;

/** The issuer that is meant: also the address of its metadata, or a slash too many, will do. */
const issuerOf = (text: string): string => {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `The address must be that of an issuer, such as https://example.org, not ${JSON.stringify(text)}.`,
    );
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new UsageError('The address must have no query, no fragment, no user name and no password.');
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
    throw new UsageError(
      '--client-id and --secret-stdin need each other: the one is the client, the other its secret.',
    );
  return client_id === undefined ? undefined : { client_id, client_secret: await readSecret(terminal) };
};

const mcpOf = (text: string, others: Readonly<Record<string, unknown>>): URL => {
  const other = Object.keys(others).find((name) => others[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(`--mcp stands alone: it finds the authorization server by itself. Leave ${other} out.`);
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? ''))
    throw new UsageError(
      `--mcp takes the address of an MCP server, such as https://example.org/mcp, not ${JSON.stringify(text)}.`,
    );
  return new URL(text);
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

/** What both ways of looking share. */
type Means = Pick<McpSubject, 'probe' | 'findings' | 'unknownClient'>;

interface Asked {
  readonly issuer: string | undefined;
  readonly api: string | undefined;
  readonly client: string | undefined;
  readonly secret: boolean | undefined;
}

const lookAtServer = async (
  { issuer: address, api: path, client, secret = false }: Asked,
  means: Means,
  terminal: Terminal,
): Promise<string> => {
  if (address === undefined) throw new UsageError('Name the issuer, for example https://example.org.');
  const issuer = issuerOf(address);
  const api = apiOf(issuer, path);
  await examine({ ...means, issuer, api, credentials: await credentialsOf(client, secret, terminal) });
  return issuer;
};

const lookAtMcp = async (address: URL, means: Means): Promise<string> => {
  await examineMcp({ ...means, address });
  return address.href;
};

export const doctor: Command = {
  help: `oauth-query doctor: look at a running server from outside, and explain what is found

  oauth-query doctor [--api /api] [--client-id ID --secret-stdin] [--timeout 5] [--quiet] [--json]
                     <issuer>
  oauth-query doctor --mcp https://example.org/mcp [--timeout 5] [--quiet] [--json]

Asks the server about thirty questions, one after another, without any credentials: metadata,
TLS, token endpoint, pages, keys, the query API and what a proxy in between may have changed.
Each finding says what was seen, why it matters and what to do. It changes nothing.

  --api           The path of the query API below the issuer, if it is not /api.
  --client-id     A confidential client that may use client_credentials, for a closer look: a
                  token is issued to it, looked at and revoked again.
  --secret-stdin  Its secret, from the standard input.
  --mcp           An MCP server instead: goes the way of a client that is given this address, and
                  stops at the first thing that would stop the client.
  --timeout       Seconds for each question, from 1 to 60; 5 if absent.
  --quiet         Leave out what is fine.
  --json          Print JSON for a program.

It ends with 1 if there is an error; warnings and notes alone are fine.

Example:
  oauth-query doctor https://example.org
`,
  run: async (args, terminal) => {
    const { values, positionals } = readArguments(args, OPTIONS, 1);
    const probe = new Probe(1000 * wholeNumber('--timeout', values.timeout ?? '5', 1, 60));
    const findings: Finding[] = [];
    const unknownClient = `oauth-query-doctor-${randomBytes(6).toString('hex')}`;
    const [issuer] = positionals;
    const { api, 'client-id': client, 'secret-stdin': secret, mcp } = values;
    const about =
      mcp === undefined
        ? await lookAtServer({ issuer, api, client, secret }, { probe, findings, unknownClient }, terminal)
        : await lookAtMcp(mcpOf(mcp, { issuer, '--api': api, '--client-id': client, '--secret-stdin': secret }), {
            probe,
            findings,
            unknownClient,
          });

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
