import { afterEach, expect, test, vi } from 'vitest';
import { oauthQuery } from '../../src/adapters/node/index.js';

afterEach(() => vi.unstubAllGlobals());

test('a version of Node without the functions that are needed is named when a server is created', () => {
  vi.stubGlobal('process', { ...process, getBuiltinModule: undefined, version: 'v20.10.0' });
  expect(() => oauthQuery({ onWarning: () => undefined })).toThrow(
    'oauth-query requires Node.js 20.19 or later, but this is v20.10.0. Update Node.js.',
  );
});
