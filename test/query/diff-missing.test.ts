import { expect, test, vi } from 'vitest';
import { startQuery } from './fixture.js';

vi.mock('diff', () => {
  throw Object.assign(new Error("Cannot find package 'diff'"), { code: 'ERR_MODULE_NOT_FOUND' });
});

test('without the package, action=compare is an error, and a warning says what to do', async () => {
  const host = await startQuery();
  const { json } = await host.get({ action: 'compare', fromtext: 'a', totext: 'b' });
  expect(json['error']).toMatchObject({ code: 'nodiff' });
  expect(host.errors).toMatchObject([{ message: expect.stringContaining('npm install diff') }]);
  await host.close();
});
