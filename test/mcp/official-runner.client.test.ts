import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { useSite } from '../query/mcp/support.js';

const RUNNER = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);

/** The scenarios that apply here. `docs/mcp.md` says why the others do not. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'completion-complete',
  'dns-rebinding-protection',
];

describe('the official conformance runner', () => {
  const site = useSite();

  test.each(SCENARIOS)('%s', async (scenario) => {
    const runner = spawn(process.execPath, [RUNNER, 'server', '--url', `${site.base}/mcp`, '--scenario', scenario]);
    const [output, errors, [code]] = await Promise.all([
      text(runner.stdout),
      text(runner.stderr),
      once(runner, 'close'),
    ]);
    expect({ code, said: output + errors }).toEqual({
      code: 0,
      said: expect.stringMatching(/Passed: [1-9]\d*\/\d+, 0 failed/),
    });
  });
});
