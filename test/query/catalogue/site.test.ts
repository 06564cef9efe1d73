import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GENERATOR, resolveSite, VERSION } from '../../../src/core/query/site/site.js';
import { GROUPS, RIGHTS } from '../../../src/core/query/site/value-sets.js';
import { everyRow } from '../../rows.js';

describe('a site', () => {
  const site = resolveSite();

  test('has defaults for all options', () => {
    expect(site).toMatchObject({
      mainPage: 'Main Page',
      language: 'zh-cn',
      articlePath: '/wiki/$1',
    });
    expect(Object.keys(site.groups)).toEqual([...GROUPS]);
    expect(site.rights).toEqual(RIGHTS);
    expect(
      Object.values(site.groups)
        .flat()
        .filter((right) => !site.rights.includes(right)),
    ).toEqual([]);
    expect(site.namespaces.map(({ id }) => id)).toEqual([-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  test('reports the version of the package, in a form that clients accept', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(VERSION).toBe(version);
    expect(GENERATOR).toBe(`MediaWiki 1.45.0 (oauth-query ${version})`);
  });

  test('every namespace of the site has its number', () =>
    everyRow(
      [
        ['Talk', 1],
        ['talk', 1],
        ['USER_talk', 3],
        [' user  talk ', 3],
        ['Project', 4],
        ['Site', 4],
        ['site talk', 5],
        ['Image', 6],
        ['image_talk', 7],
        ['special', -1],
        ['Media', -2],
        ['', undefined],
        ['Nope', undefined],
        ['constructor', undefined],
      ],
      ([name, id]) => {
        expect(site.namespaceId(name)).toBe(id);
      },
    ));

  test('adds and changes namespaces', () => {
    const other = resolveSite({
      name: 'Orchard',
      namespaces: {
        0: { subpages: true },
        2: { name: 'Benutzer', aliases: ['Benutzerin'] },
        100: 'Portal',
        101: { name: 'Portal talk', subpages: true, case: 'case-sensitive', content: true },
      },
    });
    expect(other.namespace(4)).toMatchObject({ name: 'Orchard', canonical: 'Project' });
    expect(other.namespace(2)).toMatchObject({ name: 'Benutzer', canonical: 'User', subpages: true });
    expect(['benutzer', 'BENUTZERIN', 'user', 'portal', 'portal talk'].map((name) => other.namespaceId(name))).toEqual([
      2, 2, 2, 100, 101,
    ]);
    expect(other.namespace(100)).toStrictEqual({
      id: 100,
      name: 'Portal',
      aliases: [],
      case: 'first-letter',
      subpages: false,
      content: false,
      nonincludable: false,
    });
    expect(other.namespace(0)).toMatchObject({ name: '', subpages: true, content: true });
  });

  test('a namespace with this name takes precedence over one with it as an alias', () => {
    const other = resolveSite({ namespaces: { 100: { name: 'Image' } } });
    expect(other.namespaceId('image')).toBe(100);
  });

  test('matches interwiki prefixes case-insensitively', () => {
    const other = resolveSite({
      interwiki: { Meta: 'https://meta.example/$1', de: { url: 'https://de.example/$1', language: 'Deutsch' } },
    });
    expect(other.interwiki.get('meta')).toEqual({ url: 'https://meta.example/$1' });
    expect(other.interwiki.get('de')).toMatchObject({ language: 'Deutsch' });
  });

  test('an invalid option throws an error that names it', () =>
    everyRow(
      [
        [{ articlePath: '/wiki/' }, /articlePath.*"\$1"/],
        [{ interwiki: { x: 'https://x.example/' } }, /interwiki\.x must be .*"\$1"/],
        [{ namespaces: { 100: '' } }, /namespace 100 has no name/],
        [{ namespaces: { [-5]: 'Odd' } }, /"-5"/],
        [{ namespaces: { 1.5: 'Odd' } }, /"1.5"/],
      ],
      ([options, sentence]) => {
        expect(() => resolveSite(options)).toThrow(TypeError);
        expect(() => resolveSite(options)).toThrow(sentence);
      },
    ));
});
