import { randomBytes } from 'node:crypto';
import { type Command, EXIT, readArguments, UsageError, wholeNumber } from '../command.js';
import { examine } from '../doctor/examine.js';
import type { Finding } from '../doctor/finding.js';
import { examineMcp, type McpSubject } from '../doctor/mcp.js';
import { Probe } from '../doctor/probe.js';
import { type Credentials, parseUrl } from '../doctor/subject.js';
import { readSecret } from '../input.js';
import { count, type Style, type Terminal, wrap } from '../terminal.js';

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

const mcpOf = (text: string, others: Readonly<Record<string, unknown>>): URL => {
  const other = Object.keys(others).find((name) => others[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(
      `--mcp cannot be used with ${other}, because it discovers the authorization server. Remove ${other}.`,
    );
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? ''))
    throw new UsageError(
      `--mcp must be the URL of an MCP server, such as https://example.org/mcp, not ${JSON.stringify(text)}.`,
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

/** The part of the subject that both kinds of checks share. */
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
  if (address === undefined) throw new UsageError('Specify the issuer, for example https://example.org.');
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
  help: `oauth-query doctor: check a running server from the outside, and explain the findings

  oauth-query doctor [--api /api] [--client-id ID --secret-stdin] [--timeout 5] [--quiet] [--json]
                     <issuer>
  oauth-query doctor --mcp https://example.org/mcp [--timeout 5] [--quiet] [--json]

Sends about thirty requests, one after another, without credentials. Checks the metadata, TLS,
token endpoint, pages, keys and query API, and whether a proxy changes requests or responses.
Each finding states the observation, why it matters, and what to do. It changes nothing.

  --api           The path of the query API below the issuer. Default: /api
  --client-id     A confidential client that may use client_credentials, for further checks: it
                  requests a token, inspects it and revokes it.
  --secret-stdin  Read the secret of this client from standard input.
  --mcp           Check an MCP server instead: take the steps of a client that is given this URL,
                  up to the first problem that would stop it.
  --timeout       Seconds for each request, from 1 to 60. Default: 5
  --quiet         Omit checks that passed.
  --json          Print JSON.

The exit code is 1 if there is an error, and 0 if there are only warnings and notes.

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
