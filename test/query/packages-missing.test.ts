import { expect, test, vi } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { startQuery } from './fixture.js';

const missing = vi.hoisted(() => (name: string): never => {
  throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
});
vi.mock('diff', () => missing('diff'));
vi.mock('sanitize-html', () => missing('sanitize-html'));

test('without diff, action=compare is an error, and a warning says what to do', async () => {
  const host = await startQuery();
  const { json } = await host.get({ action: 'compare', fromtext: 'a', totext: 'b' });
  expect(json['error']).toMatchObject({ code: 'nodiff' });
  expect(host.errors).toMatchObject([{ message: expect.stringContaining('npm install diff') }]);
});

test('without sanitize-html, only a trusted renderer returns HTML, and a warning says what to do', async () => {
  const source = memoryContent([{ title: 'Apple', text: '<b>x</b>' }]);
  const answers = [];
  const failures: unknown[] = [];
  for (const trusted of [false, true]) {
    const host = await startQuery(contentQuery(source, { render: () => ({ html: '<b>x</b>', trusted }) }));
    answers.push((await host.get({ action: 'parse', page: 'Apple', prop: 'text', formatversion: '2' })).json);
    failures.push(...host.errors);
  }
  expect(answers[0]?.['error']).toMatchObject({ code: 'nosanitizer' });
  expect(answers[1]?.['parse']).toMatchObject({ text: '<b>x</b>' });
  expect(failures).toMatchObject([{ message: expect.stringContaining('npm install sanitize-html') }]);
});
