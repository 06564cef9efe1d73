import fs, { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import type { MarkdownFolder, MarkdownOptions } from 'oauth-query/content/markdown';
import { expect, test } from 'vitest';
import type { FoundFile } from '../../../src/content/markdown/scan.js';
import { Settling } from '../../../src/content/markdown/settling.js';
import { pageOf, TestFolder, titlesOf } from './folder.js';

/** Opens a folder, and waits for what changes in it. */
const watched = async (folder: TestFolder, options: MarkdownOptions = {}) => {
  let look: () => void = () => undefined;
  let changes = 0;
  const onChange = (): void => {
    changes += 1;
    look();
  };
  const content = await folder.open({ ...options, watch: true, onChange });
  /** Resolves when the condition holds, which is tried at each change. */
  const until = async (condition: (content: MarkdownFolder) => Promise<boolean>): Promise<void> => {
    for (;;) {
      const changed = new Promise<void>((resolve) => (look = resolve));
      if (await condition(content)) return;
      await changed;
    }
  };
  const has = (titles: readonly string[]) =>
    until(async (now) => JSON.stringify(await titlesOf(now)) === JSON.stringify(titles));
  return { content, until, has, changes: () => changes };
};

test('new, changed and removed files and new folders are detected', async () => {
  const folder = new TestFolder({ 'a.md': 'a' });
  const { content, has, until } = await watched(folder);
  folder.write({ 'b.md': 'b' });
  await has(['A', 'B']);
  folder.write({ 'a.md': '[[New]]' });
  await until(async () => (await pageOf(content, 'A'))?.links['link']?.[0] === 'New');
  rmSync(folder.at('b.md'));
  await has(['A']);
  // What comes into a folder before it is watched, and after.
  folder.write({ 'deep/er/c.md': 'c' });
  await has(['A', 'Deep/er/c']);
  folder.write({ 'deep/er/d.md': 'd' });
  await has(['A', 'Deep/er/c', 'Deep/er/d']);
});

test('renamed folders are followed, and a new one with the old name too', async () => {
  const folder = new TestFolder({ 'old/a.md': 'a' });
  const { has } = await watched(folder);
  renameSync(folder.at('old'), folder.at('new'));
  await has(['New/a']);
  folder.write({ 'new/b.md': 'b' });
  await has(['New/a', 'New/b']);
  mkdirSync(folder.at('next'));
  folder.write({ 'next/x.md': 'x' });
  await has(['New/a', 'New/b', 'Next/x']);
  // Exchanged between two looks.
  renameSync(folder.at('new'), folder.at('.hidden'));
  renameSync(folder.at('next'), folder.at('new'));
  await has(['New/x']);
  folder.write({ 'new/y.md': 'y' });
  await has(['New/x', 'New/y']);
});

test('changes during a scan are not lost', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`b/${n}.md`, '']));
  const folder = new TestFolder({ ...many, 'a/1.md': 'one' });
  const { content, until } = await watched(folder);
  const scan = content.refresh();
  // It has begun, and lists 500 names at a time.
  folder.write({ 'a/2.md': 'late' });
  await scan;
  await until(async (now) => (await pageOf(now, 'A/2')) !== undefined);
});

test('a folder that cannot be watched is read again every second', async () => {
  const folder = new TestFolder({ 'a.md': 'a', 'sub/b.md': 'b' });
  const { watch } = fs;
  fs.watch = (() => {
    throw new Error('ENOSPC: no space left for watchers');
  }) as unknown as typeof watch;
  syncBuiltinESMExports();
  try {
    const { has } = await watched(folder);
    folder.write({ 'sub/c.md': 'c' });
    await has(['A', 'Sub/b', 'Sub/c']);
    folder.write({ 'd.md': 'd' });
    await has(['A', 'D', 'Sub/b', 'Sub/c']);
    expect(folder.problems).toEqual([
      `${folder.path} is read again every second, because it cannot be watched: ENOSPC: no space left for watchers`,
    ]);
  } finally {
    fs.watch = watch;
    syncBuiltinESMExports();
  }
});

test('if the folder disappears, its content stays and the problem is reported', async () => {
  const folder = new TestFolder({ 'a.md': 'a' });
  let tell: (sentence: string) => void = () => undefined;
  const told = new Promise<string>((resolve) => (tell = resolve));
  const { content, has } = await watched(folder, { onProblem: tell });
  rmSync(folder.path, { recursive: true });
  expect(await told).toMatch(`${folder.path} could not be read again: ENOENT`);
  expect(await titlesOf(content)).toEqual(['A']);
  folder.write({ 'b.md': 'It is back.' });
  await has(['B']);
});

test('nothing is read after it is closed', async () => {
  const folder = new TestFolder({ 'a.md': 'a' });
  const { content, changes } = await watched(folder);
  folder.write({ 'b.md': 'b' });
  await content.close();
  await content.close();
  folder.write({ 'c.md': 'c' });
  // One that is open sees both, and the other would have by now.
  const other = await watched(folder);
  folder.write({ 'd.md': 'd' });
  await other.has(['A', 'B', 'C', 'D']);
  expect(changes()).toBe(0);
});

test('a file that is written piece by piece, and one that an editor replaces, are served before and after, never between', async () => {
  const folder = new TestFolder({ 'a.md': 'before', 'b.md': 'before' });
  const { content, until } = await watched(folder);
  const seen = new Set<string>();
  const look = async (): Promise<void> => {
    for (const title of ['A', 'B', 'New']) {
      seen.add(`${title}: ${(await pageOf(content, title))?.history[0]?.text ?? 'none'}`);
    }
  };
  writeFileSync(folder.at('a.md'), '');
  for (let piece = 0; piece < 16; piece += 1) {
    appendFileSync(folder.at('a.md'), '0123456789abcdef'[piece] ?? '');
    appendFileSync(folder.at('new.md'), 'ABCDEFGHIJKLMNOP'[piece] ?? '');
    if (piece === 8) rmSync(folder.at('b.md'));
    if (piece === 10) folder.write({ 'b.md': 'after' });
    for (let times = 0; times < 5; times += 1) {
      await setTimeout(10);
      await look();
    }
  }
  const latest = async (title: string) => (await pageOf(content, title))?.history.map(({ text }) => text);
  await until(async () => (await latest('New')) !== undefined && (await latest('A'))?.[0] !== 'before');
  await until(async () => (await latest('B'))?.[0] === 'after');
  // B may have settled while the others were written.
  seen.delete('B: after');
  expect([...seen].sort()).toEqual(['A: before', 'B: before', 'New: none']);
  expect([await latest('A'), await latest('New')]).toEqual([['0123456789abcdef', 'before'], ['ABCDEFGHIJKLMNOP']]);
  expect(await latest('B')).toEqual(['after', 'before']);
});

test('a change is held until it has rested; a file that never rests is taken after 100 changes; all are taken on demand', () => {
  const settling = new Settling();
  const file = (stamp: string): FoundFile => ({ path: 'a.md', stamp }) as FoundFile;
  const held = (now: number, ...stamps: readonly string[]) => {
    const { files, held: changing } = settling.hold(stamps.map(file), now);
    return [files.map(({ stamp }) => stamp).join(), changing.size];
  };
  settling.take([file('1')]);
  expect(held(0, '1')).toEqual(['1', 0]);
  expect(held(1, '2')).toEqual(['1', 1]);
  expect(held(200, '3')).toEqual(['1', 1]);
  expect(held(499, '3')).toEqual(['1', 1]);
  expect(held(500, '3')).toEqual(['3', 0]);
  // It is gone, comes back, and is gone for good.
  expect(held(600)).toEqual(['3', 1]);
  expect(held(700, '3')).toEqual(['3', 0]);
  expect(held(800)).toEqual(['3', 1]);
  expect(held(1_100)).toEqual(['', 0]);
  const taken = Array.from({ length: 101 }, (_, n) => held(2_000 + n, `log ${n}`)[0]);
  expect(taken.filter((stamp) => stamp !== '')).toEqual(['log 100']);
  expect(held(3_000, 'x')).toEqual(['log 100', 1]);
  expect(settling.take([file('y')])).toMatchObject({ files: [{ stamp: 'y' }], held: new Set() });
  expect(held(3_300, 'y')).toEqual(['y', 0]);
});
