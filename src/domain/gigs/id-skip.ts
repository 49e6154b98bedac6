/** How many ids of gigs are passed over when the ledger may have lost gigs, at least. */
const LEAST_SKIPPED = 1_000;

/** Ids go on 1 above a multiple of this, so that a rebuild from the chain knows where to look. */
export const ID_STEP = 1_000;

export const SKIP_REASONS = {
  server: 'the database is on another server than before, which may lack the last gigs',
  word: 'the file of ids beside the database belongs to another one, so that the database may be an older copy',
  file: 'the file of ids beside the database is missing, so that the database may be an older copy',
  ahead:
    'the file of ids beside the database has them, and the database does not: it is an older copy, or a creation broke off',
  beat: 'no service has worked with the database for over an hour, so that it may be an older copy',
  rebuild: 'gigs were rebuilt from their chains, and the database had lost their ids',
  operator: 'an operator did it by hand',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** Ids that no new gig gets: a gig that the ledger has lost may have one of them. */
export interface IdSkip {
  readonly first: number;
  readonly last: number;
  readonly reason: SkipReason;
}

/** The last id to pass over, from `first` on: at least 1,000, up to a multiple of 1,000. */
export function lastToSkip(first: number): number {
  return Math.ceil((first - 1 + LEAST_SKIPPED) / ID_STEP) * ID_STEP;
}

/** The last id to pass over, so that ids go on after `known`, 1 above a multiple of 1,000. */
export function lastToPass(known: number): number {
  return Math.ceil(known / ID_STEP) * ID_STEP;
}

/** What the audit trail keeps of it, as JSON; null when that is not understood. */
export function parseSkip(detail: string): IdSkip | null {
  const { first, last, reason } = JSON.parse(detail) as Partial<Record<keyof IdSkip, unknown>>;
  if (typeof first !== 'number' || typeof last !== 'number') return null;
  const known = Object.keys(SKIP_REASONS).find((name) => name === reason);
  return known === undefined ? null : { first, last, reason: known as SkipReason };
}

/** Such as `gig ids 43 to 2000 were skipped: the database …`. */
export function skipText({ first, last, reason }: IdSkip): string {
  const ids = first === last ? `gig id ${first} was` : `gig ids ${first} to ${last} were`;
  return `${ids} skipped: ${SKIP_REASONS[reason]}`;
}
