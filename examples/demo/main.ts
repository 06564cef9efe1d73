/** `npm start`: the demo with its settings from the environment, and an export to serve as argument. */
import type { BuildApp } from './app.js';
import { Complaint } from './complaint.js';
import { isMcpInstalled, runDemo } from './demo.js';
import { type Framework, FRAMEWORKS, readSettings } from './settings.js';
import { ENVIRONMENT } from './wording.js';

const FRAMEWORK_APPS: Readonly<Record<Framework, () => Promise<{ readonly buildApp: BuildApp }>>> = {
  express: () => import('./express.js'),
  koa: () => import('./koa.js'),
  fastify: () => import('./fastify.js'),
};

const HELP = `npm start [-- export.xml | folder]: run the demo site, with every grant, the query API and tools for assistants

Serves the pages of a MediaWiki XML export (optionally gzipped), the Markdown files of a folder, or a small
sample site.
Settings are environment variables, for example PORT=8080 npm start:

  PORT             3000; 0 picks a free one
  HOST             127.0.0.1, ::1 or localhost
  FRAMEWORK        ${FRAMEWORKS.join(', ')}
  STORE            sqlite:.data/demo.db; also memory, redis://…, postgres://…, mariadb://…
  ISSUER           the URL that clients use, if it is a different one
  MCP              0 leaves the tools for assistants out; they need the package @modelcontextprotocol/server
  SITE_LANGUAGE    the code of the site's language; default: that of the content
  MEDIAWIKI_PATHS  1 also serves /w/api.php, /w/rest.php/oauth2/authorize and …/access_token
  CODE_TTL, TOKEN_TTL, DEVICE_TTL
                   lifetimes in seconds
`;

try {
  const [argument] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') {
    console.log(HELP);
    process.exit(0);
  }
  if (argument !== '-' && argument?.startsWith('-'))
    throw new Complaint(`There is no option ${argument}. See: npm start -- --help`);
  const settings = readSettings({ MCP: isMcpInstalled() ? '1' : '0', ...process.env });
  const { framework } = settings;
  await runDemo({
    settings,
    file: argument,
    framework,
    loadApp: async () => (await FRAMEWORK_APPS[framework]()).buildApp,
    wording: ENVIRONMENT,
  });
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  console.error(error.message);
  process.exit(1);
}
