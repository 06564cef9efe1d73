/** A bar chart as SVG, readable on light and dark pages, with a description for screen readers. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Selects its colour: ours is emphasised, yardsticks are grey. */
  readonly kind: 'ours' | 'peer' | 'yardstick';
}

interface BarGroup {
  readonly label: string;
  readonly bars: readonly Bar[];
}

interface Chart {
  readonly title: string;
  readonly subtitle: string;
  readonly groups: readonly BarGroup[];
  /** The text at the end of a bar. */
  readonly format: (value: number) => string;
}

const WIDTH = 760;
const LABELS = 230;
const NUMBERS = 90;
const BAR = 20;
const STEP = 26;
const GROUP_HEAD = 30;
const TOP = 66;

/** Colours with sufficient contrast on both backgrounds. */
const STYLE = `
    text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #1f2328; }
    .title { font-size: 16px; font-weight: 600; }
    .group { font-weight: 600; }
    .quiet { fill: #59636e; }
    .ours { fill: #1a7f64; }
    .peer { fill: #8b7bb8; }
    .yardstick { fill: #9aa4ae; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .quiet { fill: #9198a1; }
      .ours { fill: #3fb994; }
      .peer { fill: #a99bd6; }
      .yardstick { fill: #6a737d; }
    }`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const round = (value: number): string => value.toFixed(1);

/** The numbers of a chart as a sentence for each group. */
const describe = ({ groups, format }: Chart): string =>
  groups
    .map(({ label, bars }) => `${label}: ${bars.map((bar) => `${bar.label} ${format(bar.value)}`).join(', ')}.`)
    .join(' ');

/** Draws the chart. The bars of all groups share one scale, which begins at zero. */
export function drawChart(chart: Chart): string {
  const { title, subtitle, groups, format } = chart;
  const longest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const room = WIDTH - LABELS - NUMBERS;
  const parts: string[] = [];
  let y = TOP;
  for (const { label, bars } of groups) {
    parts.push(`<text class="group" x="0" y="${y + 4}">${escape(label)}</text>`);
    y += GROUP_HEAD - 12;
    for (const bar of bars) {
      const width = (bar.value / longest) * room;
      const middle = y + BAR / 2 + 4.5;
      parts.push(
        `<text x="${LABELS - 10}" y="${middle}" text-anchor="end">${escape(bar.label)}</text>`,
        `<rect class="${bar.kind}" x="${LABELS}" y="${y}" width="${round(width)}" height="${BAR}" rx="2"/>`,
        `<text class="quiet" x="${round(LABELS + width + 8)}" y="${middle}">${escape(format(bar.value))}</text>`,
      );
      y += STEP;
    }
    y += GROUP_HEAD - 6;
  }
  const height = y - GROUP_HEAD + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${escape(title)}</title>
  <desc id="description">${escape(`${subtitle}. ${describe(chart)}`)}</desc>
  <style>${STYLE}
  </style>
  <text class="title" x="0" y="18">${escape(title)}</text>
  <text class="quiet" x="0" y="38">${escape(subtitle)}</text>
  ${parts.join('\n  ')}
</svg>
`;
}
