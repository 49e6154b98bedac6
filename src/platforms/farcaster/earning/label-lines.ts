import type { LabelCounts } from '../../../domain/earning/labels.ts';

/** A longer line is no label; no more of it is kept. */
const LONGEST_LINE = 10_000;

/** Which accounts a file of labels names, by their FIDs. */
export interface LabelSets {
  readonly spam: ReadonlySet<number>;
  readonly trusted: ReadonlySet<number>;
  readonly counts: LabelCounts;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Reads `{"type":{"fid":1},"label_type":"spam","label_value":0}`; null for any other line. */
function readLine(line: string): { fid: number; kind: unknown; value: number } | null {
  const row = parse(line);
  if (!isRecord(row) || !isRecord(row['type'])) return null;
  const { fid } = row['type'];
  const { label_type: kind, label_value: value } = row;
  if (typeof fid !== 'number' || !Number.isSafeInteger(fid) || fid <= 0) return null;
  return typeof value === 'number' && Number.isInteger(value) ? { fid, kind, value } : null;
}

/** Collects the labels of a file, chunk by chunk. Of several lines about an account the last one counts. */
export function createLabelReader(options: { mostLabels: number }) {
  const spam = new Set<number>();
  const trusted = new Set<number>();
  let broken = 0;
  let rest = '';

  function keep(given: string): void {
    // Some editors put U+FEFF before the first line.
    const line = given.replace(/^\uFEFF/u, '');
    if (line.trim() === '') return;
    const label = line.length > LONGEST_LINE ? null : readLine(line);
    if (label === null) {
      broken += 1;
      return;
    }
    const { fid, kind, value } = label;
    if (kind !== 'spam') return;
    spam.delete(fid);
    trusted.delete(fid);
    if (value === 0 || value === 3) spam.add(fid);
    if (value === 2) trusted.add(fid);
  }

  return {
    /** @returns whether there is room for more */
    add(chunk: string): boolean {
      const lines = chunk.split('\n');
      lines[0] = rest + lines[0];
      // The end of a line that is too long already is not collected.
      rest = (lines.pop() ?? '').slice(0, LONGEST_LINE + 1);
      for (const line of lines) keep(line);
      return spam.size + trusted.size <= options.mostLabels;
    },
    end(): LabelSets {
      keep(rest);
      rest = '';
      return { spam, trusted, counts: { spam: spam.size, trusted: trusted.size, broken } };
    },
  };
}
