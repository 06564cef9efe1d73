import { Complaint } from './complaint.js';
import { ENVIRONMENT, type Wording } from './wording.js';

export const FRAMEWORKS = ['express', 'koa', 'fastify'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Settings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly framework: Framework;
  readonly store: string;
  /** Where the server listens if absent. */
  readonly issuer: string | undefined;
  /** The code of the site's language; that of the content if absent. */
  readonly language: string | undefined;
  /** Whether MediaWiki's paths are served too. */
  readonly mediawikiPaths: boolean;
  /** Whether the content is served to assistants. */
  readonly mcp: boolean;
  /** Seconds; the library's defaults if absent. */
  readonly lifetimes: Readonly<Partial<Record<'authorizationCode' | 'accessToken' | 'deviceCode', number>>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as absent. */
const read = (environment: Environment, name: string, fallback: string): string => environment[name] || fallback;

const wholeNumber = (name: string, text: string, max: number): number => {
  if (!/^\d+$/.test(text) || Number(text) > max) {
    throw new Complaint(`${name} must be a whole number from 0 to ${max}, not "${text}".`);
  }
  return Number(text);
};

const lifetime = <Name extends string>(
  environment: Environment,
  wording: Wording,
  variable: string,
  name: Name,
): Partial<Record<Name, number>> => {
  const text = environment[variable];
  if (text === undefined || text === '') return {};
  const seconds: Partial<Record<string, number>> = { [name]: wholeNumber(wording.setting(variable), text, 31_536_000) };
  return seconds;
};

/** @throws Complaint that names the setting. */
const flag = (environment: Environment, name: string, wording: Wording): boolean => {
  const text = read(environment, name, '0');
  if (!['0', '1'].includes(text)) throw new Complaint(`${wording.setting(name)} must be 1 or 0, not "${text}".`);
  return text === '1';
};

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** @throws Complaint that names the setting and its allowed values. */
export const readSettings = (environment: Environment, wording: Wording = ENVIRONMENT): Settings => {
  const framework = FRAMEWORKS.find((name) => name === read(environment, 'FRAMEWORK', 'express'));
  if (framework === undefined) {
    throw new Complaint(`FRAMEWORK must be one of ${FRAMEWORKS.join(', ')}, not "${environment['FRAMEWORK']}".`);
  }
  const host = read(environment, 'HOST', '127.0.0.1');
  if (!LOOPBACK.includes(host)) {
    throw new Complaint(
      `${wording.setting('HOST')} must be one of ${LOOPBACK.join(', ')}, not "${host}": the passwords and secrets of this demo are public.`,
    );
  }
  return {
    host,
    mediawikiPaths: flag(environment, 'MEDIAWIKI_PATHS', wording),
    mcp: flag(environment, 'MCP', wording),
    port: wholeNumber(wording.setting('PORT'), read(environment, 'PORT', '3000'), 65_535),
    framework,
    store: read(environment, 'STORE', 'sqlite:.data/demo.db'),
    issuer: environment['ISSUER'] || undefined,
    // Systems set LANGUAGE to the language of the machine, which is not that of the content.
    language: environment['SITE_LANGUAGE'] || undefined,
    lifetimes: {
      ...lifetime(environment, wording, 'CODE_TTL', 'authorizationCode'),
      ...lifetime(environment, wording, 'TOKEN_TTL', 'accessToken'),
      ...lifetime(environment, wording, 'DEVICE_TTL', 'deviceCode'),
    },
  };
};
