import { expect, test, vi } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { startQuery } from './fixture.js';

vi.mock('sanitize-html', () => {
  throw Object.assign(new Error("Cannot find package 'sanitize-html'"), { code: 'ERR_MODULE_NOT_FOUND' });
});

test('without the package, only a trusted renderer returns HTML, and a warning says what to do', async () => {
  const source = memoryContent([{ title: 'Apple', text: '<b>x</b>' }]);
  const render = () => ({ html: '<b>x</b>' });
  const answers = [];
  const failures: unknown[] = [];
  for (const trusted of [false, true]) {
    const host = await startQuery(contentQuery(source, { render: { render, trusted } }));
    answers.push((await host.get({ action: 'parse', page: 'Apple', prop: 'text', formatversion: '2' })).json);
    failures.push(...host.errors);
    await host.close();
  }
  expect(answers[0]?.['error']).toMatchObject({ code: 'nosanitizer' });
  expect(answers[1]?.['parse']).toMatchObject({ text: '<b>x</b>' });
  expect(failures).toMatchObject([{ message: expect.stringContaining('npm install sanitize-html') }]);
});
