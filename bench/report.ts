import { z } from 'zod';
import { type Spread, shown, shownSpread } from './figures.ts';

/** JSON has no number for what could not be divided. */
const figure = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);

const verdict = z.object({
  goal: z.string(),
  measured: z.object({ median: figure, least: figure, most: figure }),
  /** Whether the median is to be at least or at most the bound. */
  is: z.enum(['at least', 'at most']),
  bound: z.number(),
  /** Of what is no ratio. */
  unit: z.string().optional(),
  /** Why the figure cannot be held to the goal, when something disturbed it. */
  doubt: z.string().optional(),
});

/** A goal and what was measured. */
export type Verdict = Readonly<z.output<typeof verdict>>;

/** One part of the report, also as it is kept in a file; its text is Markdown. */
export const section = z.object({ title: z.string(), text: z.string(), verdicts: z.array(verdict).readonly() });
export type Section = Readonly<z.output<typeof section>>;

/** A Markdown table. The first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Whether a goal is met; null when that is not judged. */
export function isMet({ measured, is, bound, doubt }: Verdict): boolean | null {
  if (doubt !== undefined) return null;
  // As it is shown: what differs by less is no difference.
  const median = Number(shown(measured.median).replaceAll(',', ''));
  return is === 'at least' ? median >= bound : median <= bound;
}

function withUnit(text: string, unit: string | undefined): string {
  return unit === undefined ? text : `${text} ${unit}`;
}

/** What a goal asks for: `at least 0.50`, `at most 25.0 ms`. */
export function shownBound({ is, bound, unit }: Verdict): string {
  return withUnit(`${is} ${shown(bound)}`, unit);
}

/** What was measured: `0.27 (0.22–0.36)`. */
export function shownMeasured({ measured, unit }: { measured: Spread; unit?: string | undefined }): string {
  return withUnit(shownSpread(measured), unit);
}

/** The table of goals, each with what was measured. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((one) => [
    one.goal,
    shownBound(one),
    shownMeasured(one),
    one.doubt ?? (isMet(one) ? 'met' : '**missed**'),
  ]);
  return table(['goal', 'bound', 'measured', ''], rows);
}
