import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { WARM_ACTS } from '../acts.ts';
import { WARM_REQUESTS } from '../contender.ts';
import { type Section, verdictTable } from '../report.ts';
import { type MeasuredPart, problemOfParts } from './parts.ts';
import { drawRatios } from './picture.ts';

const INTRO =
  'Written by `npm run bench`. Figures are medians of interleaved rounds, with the least and the most in brackets; a ratio ' +
  'is taken within each round, because the machine’s pace drifts. Absolute figures say little about another machine.\n\n' +
  'Processor time (CPU) is that of all threads of a process and its children, also of those that have ended, from ' +
  '`/proc/PID/task/*/schedstat` and `/proc/PID/stat`. What a server needs beside it, such as PostgreSQL or Redis, has a column ' +
  'of its own, of the service and of its rivals alike. Stand-ins for networks and chains, and the load generator, count nowhere. ' +
  `Before it is first measured a server answers ${WARM_REQUESTS.toLocaleString('en-US')} requests, or ` +
  `${WARM_ACTS.toLocaleString('en-US')} mentions or awards. What is compared at a rate ` +
  'is compared at the same rate.';

/** What of a part is printed. */
export interface PrintedPart {
  readonly how: string;
  readonly section: Section;
}

export function partText({ section, how }: PrintedPart): string {
  return `## ${section.title}\n\n${how}\n\n${section.text}`;
}

function commitLine({ state }: MeasuredPart): string {
  if (state.changes === null) return `- Commit ${state.commit}`;
  return `- **Dirty**: commit ${state.commit} with changes that no commit has (${state.changes})`;
}

function reportText(parts: readonly [MeasuredPart, ...MeasuredPart[]], picture: string): string {
  const [first] = parts;
  const programs = new Map(parts.flatMap(({ programs }) => Object.entries(programs)));
  const others = [...programs].map(([name, version]) => `${name} ${version}`);
  const facts = [commitLine(first), first.machine, ...(others.length === 0 ? [] : [`- ${others.join(', ')}`])];
  const verdicts = parts.flatMap(({ section }) => section.verdicts);
  const goals = `## Goals\n\n![Ratios, each with its goal](${picture})\n\n${verdictTable(verdicts)}`;
  return `${['# Measured', INTRO, facts.join('\n'), goals, ...parts.map(partText)].join('\n\n')}\n`;
}

/**
 * Writes the report, and its picture beside it.
 * @param names all parts of a report
 * @returns why it is not written; null when it is
 */
export function writeReport(
  out: string,
  parts: readonly MeasuredPart[],
  { names, isDirtyAllowed }: { names: readonly string[]; isDirtyAllowed: boolean },
): string | null {
  const problem = problemOfParts(parts, names);
  const [first, ...others] = parts;
  if (problem !== null || first === undefined) return problem;
  if (first.state.changes !== null && !isDirtyAllowed) {
    return 'the code has changes that no commit has: commit them and measure again, or say --dirty';
  }
  const picture = out.replace(/(\.md)?$/, '.svg');
  const verdicts = parts.flatMap(({ section }) => section.verdicts);
  writeFileSync(picture, drawRatios(verdicts, { commit: first.state.commit, isDirty: first.state.changes !== null }));
  writeFileSync(out, reportText([first, ...others], basename(picture)));
  return null;
}
