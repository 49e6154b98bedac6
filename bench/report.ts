import { type Spread, shown, shownSpread } from './figures.ts';

/** A goal and what was measured. */
export interface Verdict {
  readonly goal: string;
  readonly measured: Spread;
  /** Whether the median is to be at least or at most the bound. */
  readonly is: 'at least' | 'at most';
  readonly bound: number;
  /** Why the figure cannot be held to the goal, when something disturbed it. */
  readonly doubt?: string | undefined;
}

/** One part of the report. */
export interface Section {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  readonly verdicts: readonly Verdict[];
}

/** A Markdown table. The first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

function isMet({ measured, is, bound }: Verdict): boolean {
  return is === 'at least' ? measured.median >= bound : measured.median <= bound;
}

/** The table of goals, each with what was measured. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => [
    verdict.goal,
    `${verdict.is} ${shown(verdict.bound)}`,
    shownSpread(verdict.measured),
    verdict.doubt ?? (isMet(verdict) ? 'met' : '**missed**'),
  ]);
  return table(['goal', 'bound', 'measured', ''], rows);
}
