import type { Generator } from './generator.ts';
import type { Surroundings } from './surroundings.ts';

/** What every part of the bench is given. */
export interface Bench {
  readonly surroundings: Surroundings;
  readonly generator: Generator;
  /** Where prepared data is kept from one run to the next. */
  readonly dataFolder: string;
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  /** How many tips the look-ups' tables hold, one table after the other. */
  readonly sizes: readonly number[];
  /** Versions of the programs that took part, by name. */
  readonly versions: Map<string, string>;
  readonly say: (line: string) => void;
}
