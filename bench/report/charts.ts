/** The charts of the results. */
import { BARE, frameworks, type HttpWork, httpWorks, isOurs, MINIMUM, MINIMUM_PLUS, titles } from '../candidates.js';
import { type Bar, drawChart } from './chart.js';
import type { HttpResult, Results } from './results.js';

const NAMES = { express: 'Express', koa: 'Koa', fastify: 'Fastify' } as const;

function barOf({ candidate, microseconds }: HttpResult): Bar | undefined {
  if (microseconds === undefined) return undefined;
  const kind = isOurs(candidate) ? 'ours' : [BARE, MINIMUM, MINIMUM_PLUS].includes(candidate) ? 'yardstick' : 'peer';
  const label = candidate === BARE ? 'bare route' : candidate === MINIMUM ? 'hand-written minimum' : candidate;
  return { label, value: 1_000_000 / microseconds.median, kind };
}

function chartOf(work: HttpWork, results: Results): string | undefined {
  const groups = frameworks
    .map((framework) => ({
      label: NAMES[framework],
      bars: results.http
        .filter((result) => result.work === work && result.framework === framework)
        .flatMap((result) => barOf(result) ?? []),
    }))
    .filter(({ bars }) => bars.length > 0);
  if (groups.length === 0) return undefined;
  const { machine } = results;
  return drawChart({
    title: `${titles[work]}: requests per second of one core`,
    subtitle: `From CPU time per request, longer is better. ${machine.processor}, Node ${machine.node.slice(1)}`,
    groups,
    format: (value) => Math.round(value).toLocaleString('en'),
  });
}

/** SVG by file name. */
export const chartsOf = (results: Results): ReadonlyMap<string, string> =>
  new Map(
    httpWorks.flatMap((work) => {
      const chart = chartOf(work, results);
      return chart === undefined ? [] : [[`${work}.svg`, chart] as const];
    }),
  );
