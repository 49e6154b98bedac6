import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { section } from '../report.ts';
import { isSameState, shownState } from './state.ts';

const measuredPart = z.object({
  part: z.string(),
  state: z.object({ commit: z.string(), changes: z.string().nullable() }),
  machine: z.string(),
  /** Versions of the other programs that took part, by name. */
  programs: z.record(z.string(), z.string()),
  /** When it ended, its rounds, and the load meanwhile. */
  how: z.string(),
  section,
});

/** One part of the bench as it was measured, with the state of the code that it is of. */
export type MeasuredPart = z.output<typeof measuredPart>;

function fileOf(folder: string, part: string): string {
  return join(folder, 'parts', `${part}.json`);
}

/** Keeps a part until it is measured again, so that parts that ran one by one make up a report. */
export function keepPart(folder: string, measured: MeasuredPart): void {
  const file = fileOf(folder, measured.part);
  mkdirSync(join(folder, 'parts'), { recursive: true });
  writeFileSync(`${file}.draft`, JSON.stringify(measured));
  renameSync(`${file}.draft`, file);
}

/** Forgets a part before it is measured again, so that no older one stands for it when that fails. */
export function dropPart(folder: string, part: string): void {
  rmSync(fileOf(folder, part), { force: true });
}

/** The kept ones of these parts; one that an older bench kept in another form counts as not measured. */
export function readParts(folder: string, names: readonly string[]): MeasuredPart[] {
  return names.flatMap((name) => {
    try {
      const { success, data } = measuredPart.safeParse(JSON.parse(readFileSync(fileOf(folder, name), 'utf8')));
      return success ? [data] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Why these parts make up no report: some are missing, or they are of several states of the code or several machines.
 * @param names all parts of a report
 * @returns null when they do
 */
export function problemOfParts(parts: readonly MeasuredPart[], names: readonly string[]): string | null {
  const missing = names.filter((name) => parts.every(({ part }) => part !== name));
  if (missing.length > 0) return `not measured: ${missing.join(', ')}`;
  const [first] = parts;
  if (first === undefined) return 'nothing is measured';
  if (parts.some(({ state }) => !isSameState(state, first.state))) {
    const each = parts.map(({ part, state }) => `${part} ${shownState(state)}`);
    return `its parts are of several states of the code: ${each.join(', ')}`;
  }
  const elsewhere = parts.filter(({ machine }) => machine !== first.machine).map(({ part }) => part);
  return elsewhere.length === 0 ? null : `measured on another machine than ${first.part}: ${elsewhere.join(', ')}`;
}
