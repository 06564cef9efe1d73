/** The drawings of the documents, as SVG by file name. */
import { readFileSync } from 'node:fs';
import { pictureOfRecord } from '../bench/record/report.js';
import type { RecordFigures as Figures, RecordResults } from '../bench/record/results.js';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly lines: readonly string[];
  readonly ours?: true;
}

const HEIGHT = 54;

/** From left to right the way of a request, and below what the middleware answers itself. */
const BOXES: readonly Box[] = [
  { x: 0, y: 20, width: 110, lines: ['request'] },
  { x: 150, y: 20, width: 130, lines: ['your session,', 'your sign-in'] },
  { x: 320, y: 20, width: 120, lines: ['oauth-query'], ours: true },
  { x: 480, y: 20, width: 110, lines: ['guard'], ours: true },
  { x: 630, y: 20, width: 130, lines: ['your route'] },
  { x: 275, y: 120, width: 210, lines: ['/oauth/*, /.well-known/*,', '/api'], ours: true },
  { x: 535, y: 120, width: 225, lines: ['store: memory, SQLite, Redis,', 'PostgreSQL, MariaDB, MySQL'] },
];

const ARROWS = [
  [110, 47, 150, 47],
  [280, 47, 320, 47],
  [440, 47, 480, 47],
  [590, 47, 630, 47],
  [380, 74, 380, 120],
  [485, 147, 535, 147],
  [560, 74, 600, 120],
] as const;

const boxOf = ({ x, y, width, lines, ours }: Box): string => {
  const first = y + HEIGHT / 2 + 5 - (lines.length - 1) * 9;
  const texts = lines.map((line, at) => `<text x="${x + width / 2}" y="${first + at * 18}">${line}</text>`);
  return `<rect${ours ? ' class="ours"' : ''} x="${x + 1}" y="${y}" width="${width - 2}" height="${HEIGHT}" rx="6"/>\n  ${texts.join('\n  ')}`;
};

/** Where the middleware stands. */
const middleware = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 180" width="760" height="180" role="img" aria-labelledby="title">
  <title id="title">A request passes your session and oauth-query, which answers /oauth/*, /.well-known/* and /api itself, and a guard before your route; oauth-query and the guard use the store</title>
  <style>
    text { font: 14px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #1f2328; text-anchor: middle; }
    rect { fill: none; stroke: #59636e; }
    .ours { fill: #1a7f6422; stroke: #1a7f64; stroke-width: 2; }
    path { fill: none; stroke: #59636e; marker-end: url(#tip); }
    .tip { fill: #59636e; stroke: none; marker-end: none; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      rect, path { stroke: #9198a1; }
      .ours { fill: #3fb99422; stroke: #3fb994; }
      .tip { fill: #9198a1; stroke: none; }
    }
  </style>
  <marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker>
  ${BOXES.map(boxOf).join('\n  ')}
  ${ARROWS.map(([a, b, c, d]) => `<path d="M${a} ${b}L${c} ${d}"/>`).join('\n  ')}
</svg>
`;

export const pictures = (): ReadonlyMap<string, string> => {
  const record = JSON.parse(readFileSync('bench/results/record.json', 'utf8')) as RecordResults;
  // Records of 0.3 have the figures in the row itself.
  const results = record.results.map((row) =>
    'perVcpu' in row ? { ...row, figures: row as unknown as Figures } : row,
  );
  return new Map([
    ['middleware.svg', middleware],
    ['record.svg', pictureOfRecord({ ...record, results })],
  ]);
};
