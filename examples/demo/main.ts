/** `npm start`: the demo with its settings from the environment, and an export to serve as argument. */
import type { BuildApp } from './app.js';
import { Complaint } from './complaint.js';
import { runDemo } from './demo.js';
import { type Framework, readSettings } from './settings.js';
import { ENVIRONMENT } from './wording.js';

const FRAMEWORK_APPS: Readonly<Record<Framework, () => Promise<{ readonly buildApp: BuildApp }>>> = {
  express: () => import('./express.js'),
  koa: () => import('./koa.js'),
  fastify: () => import('./fastify.js'),
};

try {
  const settings = readSettings(process.env);
  const { framework } = settings;
  await runDemo({
    settings,
    file: process.argv[2],
    framework,
    loadApp: async () => (await FRAMEWORK_APPS[framework]()).buildApp,
    wording: ENVIRONMENT,
  });
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  console.error(error.message);
  process.exit(1);
}
