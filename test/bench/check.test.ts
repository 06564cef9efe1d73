import { afterEach, describe, expect, test, vi } from 'vitest';
import { readArguments, type Settings } from '../../bench/arguments.js';
import { candidates, FRONT, frameworks, isOurs, OURS } from '../../bench/candidates.js';
import { checkAgainstReference } from '../../bench/check-run.js';
import { measuresOf, regressions, sentenceOf, TOLERANCE } from '../../bench/report/check.js';
import { readReference } from '../../bench/report/reference.js';
import type { Results } from '../../bench/report/results.js';
import { summary } from '../../bench/statistics.js';

const one = (value: number) => summary([value]);

/** A run in which everything of ours costs so many times as much, relative to what it is compared with. */
const run = (factor = 1, of?: keyof typeof TOLERANCE): Results => {
  const by = (kind: keyof typeof TOLERANCE): number => (of === undefined || of === kind ? factor : 1);
  return {
    date: '2030-01-01',
    machine: { processor: 'A processor', cores: 2, memory: 8, system: 'A system', node: 'v20.19.0' },
    versions: {},
    rounds: 5,
    requests: 1000,
    connections: 16,
    pinned: true,
    http: [
      { work: 'token', framework: 'koa', candidate: 'bare', microseconds: one(80), userToBare: one(1) },
      {
        work: 'token',
        framework: 'koa',
        candidate: OURS,
        microseconds: one(90),
        userToBare: one(1.1 * by('http')),
        userToMinimum: one(1.2 * by('http')),
        ...(of === 'paired' && { userToBefore: one(factor) }),
      },
      { work: 'token', framework: 'koa', candidate: 'oidc-provider', microseconds: one(300), userToBare: one(4) },
      { work: 'guard-jwt', framework: 'koa', candidate: OURS, microseconds: one(15), userToBare: one(by('bare')) },
    ],
    parse: [
      { candidate: OURS, microseconds: one(3), oursTo: one(1) },
      { candidate: 'ajv, from the same texts', microseconds: one(5), oursTo: one(0.6 * by('parse')) },
    ],
    imports: [
      { candidate: 'oauth-query/koa', wall: one(20), cpu: one(20), toPlain: one(1.5 * by('imports')) },
      { candidate: 'koa-jwt', wall: one(30), cpu: one(30), toPlain: one(2) },
    ],
    size: [
      { candidate: OURS, bytes: 1_000_000 * by('size'), packages: 4 },
      { candidate: 'koa-jwt', bytes: 400_000, packages: 20 },
    ],
    memory: [
      { candidate: OURS, tokens: 1000, bytesPerToken: 180 * by('memory') },
      { candidate: 'oidc-provider', tokens: 1000, bytesPerToken: 300 },
    ],
    families: { families: 1000, bytesPerFamily: 3000 * by('memory'), bytesPerRefresh: -2 * by('memory') },
  };
};

const kinds = Object.keys(TOLERANCE) as (keyof typeof TOLERANCE)[];

describe('npm run bench -- --check', () => {
  test.each(kinds)('%s: worse within the tolerance passes, beyond it fails', (kind) => {
    expect(regressions(run(TOLERANCE[kind] - 0.01, kind), run())).toEqual([]);
    const found = regressions(run(TOLERANCE[kind] + 0.01, kind), run());
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map((regression) => regression.kind))).toEqual(new Set([kind]));
  });

  test('refreshes that take space are found, although the reference has none', () => {
    const growing = { families: 1000, bytesPerFamily: 3000, bytesPerRefresh: 5 };
    expect(regressions({ ...run(), families: growing }, run()).map(sentenceOf)).toEqual([
      'bytes per grant after a hundred refreshes is 3,500, was 2,800: more than 1.15 times as much.',
    ]);
  });

  test('slower in fewer than three quarters of the rounds passes: the machine was busy', () => {
    const paired = (...rounds: number[]): Results => ({
      ...run(),
      http: [{ work: 'refresh', framework: 'koa', candidate: OURS, userToBefore: summary(rounds) }],
    });
    expect(regressions(paired(0.7, 0.9, 1.2, 1.3, 1.4), run())).toEqual([]);
    expect(regressions(paired(1.1, 1.15, 1.2, 1.3, 1.4), run())).toHaveLength(1);
  });

  test('only our own numbers are checked, not those of peers', () => {
    const judged = measuresOf(run()).map(({ name }) => name);
    const peers = candidates.filter(({ name }) => !isOurs(name)).map(({ name }) => name);
    expect(judged.filter((name) => peers.some((peer) => name.includes(` by ${peer}, `)))).toEqual([]);
    expect(judged).toContain(`token on koa by ${OURS}, user CPU to the minimum`);
    expect(measuresOf(run()).length).toBe(7);
  });

  test('a wrong response of ours is a regression, however fast it was', () => {
    const wrong: Results = {
      ...run(),
      http: [{ work: 'token', framework: 'koa', candidate: OURS, disqualified: 'a token came twice' }],
    };
    expect(regressions(wrong, run()).map(sentenceOf)).toEqual([
      `token on koa by ${OURS}, user CPU to anything cannot be compared, because responses were wrong.`,
    ]);
  });
});

describe('the committed reference', () => {
  const reference = readReference();

  test('contains only current candidates that were counted, and our own servers on every framework', () => {
    const measured = reference?.http.map(({ work, framework, candidate }) => `${work} ${framework} ${candidate}`) ?? [];
    const known = candidates.flatMap(({ name, works, frameworks }) =>
      works.flatMap((work) => frameworks.map((framework) => `${work} ${framework} ${name}`)),
    );
    expect(measured.filter((name) => !known.includes(name))).toEqual([]);
    expect(measured).toEqual(expect.arrayContaining(frameworks.map((name) => `refresh ${name} ${OURS}`)));
    expect(reference?.http.filter(({ disqualified }) => disqualified !== undefined)).toEqual([]);
    expect(measuresOf(reference ?? run()).every(({ value }) => Number.isFinite(value))).toBe(true);
  });

  test('names the hardware, and nothing that identifies its owner', () => {
    expect(Object.keys(reference?.machine ?? {})).toEqual(['processor', 'cores', 'memory', 'system', 'node']);
    expect(JSON.stringify(reference)).not.toMatch(/\/(?:home|root|tmp|work|Users)\//);
    expect(reference?.http.some(({ candidate }) => candidate === FRONT)).toBe(true);
  });
});

describe('a measurement that looks worse', () => {
  afterEach(() => vi.restoreAllMocks());

  const settings = (): Settings => {
    const read = readArguments(['--check']);
    if (read === 'help') throw new Error('These arguments mean --help.');
    return read;
  };
  /** The committed results with more or fewer bytes per live token. */
  const withMemory = (factor: number): Results => {
    const reference = readReference() ?? run();
    return {
      ...reference,
      memory: reference.memory.map((result) => ({ ...result, bytesPerToken: result.bytesPerToken * factor })),
    };
  };
  /** Runs the check; each measurement has the next of these results. */
  const check = async (...factors: readonly number[]) => {
    const said: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line));
    vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
    const asked: Settings[] = [];
    const code = await checkAgainstReference(settings(), async (wanted) => {
      asked.push(wanted);
      return withMemory(factors[asked.length - 1] ?? 1);
    });
    return { code, asked, said: said.join('\n') };
  };

  test('nothing worse: measured once, exit code 0', async () => {
    const { code, asked, said } = await check(1);
    expect([code, asked.length, said]).toEqual([0, 1, 'All ratios are within their tolerances.']);
  });

  test('is measured again, alone; a busy moment is no regression', async () => {
    const { code, asked } = await check(2, 1);
    expect([code, asked.length]).toEqual([0, 2]);
    expect(asked[1]).toMatchObject({ works: ['memory'], rounds: settings().rounds });
  });

  test('is a regression if it is worse every time: a sentence and exit code 1', async () => {
    expect(await check(2, 2, 1)).toMatchObject({ code: 0 });
    const { code, asked, said } = await check(2, 2, 2);
    expect([code, asked.length]).toEqual([1, 3]);
    expect(said).toMatch(/^Regression: bytes per live token is [\d.]+, was [\d.]+: more than 1\.15 times as much\.$/m);
  });
});
