/** What came of a comparison. */
export interface Compared {
  readonly what: string;
  /** What differs; null when nothing does. */
  readonly fault: string | null;
  /** What could not be compared. */
  readonly note: string | null;
}

/** A comparison by its name. It throws when something is not what it must be, and returns a text on what could not be compared. */
export type Comparison = readonly [what: string, run: () => Promise<unknown>];

/** Compares a value with what it must be. @throws Error with both */
export function must(found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`${is}, and not ${should}`);
}

/** Makes comparisons one after another, because later ones rest on what earlier ones have done. */
export async function compareAll(comparisons: readonly Comparison[]): Promise<Compared[]> {
  const all: Compared[] = [];
  for (const [what, run] of comparisons) {
    const came = await run().then(
      (note) => ({ fault: null, note: typeof note === 'string' ? note : null }),
      (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error), note: null }),
    );
    all.push({ what, ...came });
  }
  return all;
}
