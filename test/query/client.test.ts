import Session, { ApiErrors, ApiWarnings, set } from 'm3api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QueryOptions } from '../../src/core/query/index.js';
import { hostFor } from '../hosts.js';
import { type Joined, startJoined } from './joined.js';

const TITLES = Array.from({ length: 23 }, (_one, index) => `Page ${String(index).padStart(2, '0')}`);

const query: QueryOptions = {
  resolvePages: ({ titles }) =>
    titles
      .filter((title) => TITLES.includes(title))
      .map((title) => ({ pageid: TITLES.indexOf(title) + 1, ns: 0, title })),
  modules: {
    allpages: ({ limit, continue: from = '' }) => {
      const rest = TITLES.filter((title) => title >= from.replaceAll('_', ' '));
      return {
        items: rest.slice(0, limit).map((title) => ({ pageid: TITLES.indexOf(title) + 1, ns: 0, title })),
        continue: rest[limit]?.replaceAll(' ', '_'),
      };
    },
    info: ({ pages }) => ({ pages: Object.fromEntries(pages.existing.map(({ id }) => [id, { length: id }])) }),
  },
};

describe.each(hostFor(import.meta.url))('a MediaWiki client on $name', (host) => {
  let joined: Joined;
  let session: Session;
  const warn = (warning: Error): void => {
    throw warning;
  };
  beforeAll(async () => {
    joined = await startJoined(host, query);
    session = new Session(joined.api, { formatversion: 2, errorformat: 'plaintext' }, { userAgent: 'tests', warn });
  });
  afterAll(() => joined.close());

  test('turns an API error into its own typed error', async () => {
    const refused = session.request({ action: 'query', list: set('allpages'), aplimit: 'many' });
    await expect(refused).rejects.toBeInstanceOf(ApiErrors);
    await expect(refused).rejects.toMatchObject({
      message: 'badinteger',
      errors: [
        { code: 'badinteger', module: 'query+allpages', text: 'Invalid value "many" for integer parameter "aplimit".' },
      ],
    });
  });

  test('sends lists with values that contain a bar, and long requests as a form', async () => {
    const response = await session.request({ action: 'query', titles: set('A|B', 'Page 03') }, { method: 'POST' });
    expect(response['query'].pages).toMatchObject([
      { title: 'A|B', invalid: true },
      { pageid: 4, title: 'Page 03' },
    ]);
  });

  test('receives warnings', async () => {
    const heard: Error[] = [];
    const ask = { action: 'query', list: set('allpages'), aplimit: 9000, nosuch: '1' };
    await session.request(ask, { warn: (warning: Error) => void heard.push(warning) });
    expect(heard[0]).toBeInstanceOf(ApiWarnings);
    expect(heard[0]).toMatchObject({
      warnings: [
        { code: 'outofrange', module: 'query+allpages' },
        { code: 'unrecognizedparams', module: 'main' },
      ],
    });
  });

  test('has the user and limits of its token', async () => {
    const { user, robot } = joined.tokens;
    const sessionOf = (accessToken: string): Session =>
      new Session(joined.api, { formatversion: 2, assert: 'user' }, { userAgent: 'tests', accessToken, warn });
    const ask = { action: 'query', list: set('allpages'), aplimit: 'max', meta: set('userinfo') };
    const ofUser = await sessionOf(user).request(ask);
    const ofRobot = await sessionOf(robot).request({ ...ask, assert: 'bot' });
    expect(ofUser['query'].userinfo).toMatchObject({ name: 'alice' });
    expect([ofUser['limits'], ofRobot['limits']]).toEqual([{ allpages: 500 }, { allpages: 5000 }]);
    const token = await Promise.resolve(sessionOf(user).getToken('csrf', {}));
    expect(joined.verify(token, { sub: 'alice', client_id: 'web' })).toBe(true);
    expect(joined.verify(token, { sub: 'bob', client_id: 'web' })).toBe(false);
    expect(joined.verify(token, { sub: 'alice', client_id: 'robot' })).toBe(false);
    await expect(sessionOf('no-such-token').request(ask)).rejects.toMatchObject({
      message: 'mwoauth-invalid-authorization',
    });
  });
});
