import { Readable } from 'node:stream';
import { doctor } from '../../../src/cli/commands/doctor.js';
import type { Finding } from '../../../src/cli/doctor/finding.js';

export interface Report {
  readonly code: number | undefined;
  readonly issuer: string;
  readonly requests: number;
  readonly summary: Readonly<Record<Finding['level'], number>>;
  readonly findings: readonly Finding[];
}

/** Runs the command in this process, which is quicker than a new one for each of a hundred servers. */
export const runDoctor = async (args: readonly string[], input = ''): Promise<Report> => {
  let printed = '';
  const code = await doctor.run(['--json', ...args], {
    stdin: Readable.from([Buffer.from(input)]) as unknown as NodeJS.ReadStream, // As much of one as is read.
    print: (line) => {
      printed += line;
    },
    tell: () => undefined,
    style: (_style, text) => text,
  });
  return { code, ...JSON.parse(printed) };
};

/** What is not fine. */
export const complaints = ({ findings }: Report): readonly string[] =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, rule, seen }) => `${level} ${rule}: ${seen}`);
