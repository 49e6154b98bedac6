import { GIG_TYPES } from '../../domain/gigs/gig.ts';
import { GIG_EVENTS } from '../../domain/gigs/notice.ts';
import { PAYMENT_KINDS } from '../../domain/payments/payment.ts';
import { PLATFORMS } from '../../domain/platforms/platforms.ts';
import type { Kit } from './kit.ts';

/** A new value changes no table, which SQLite would have to write anew. */
function createValues(kit: Kit, name: string) {
  return kit.table(name, { id: kit.text('id').primaryKey() });
}

/** Enumerations that grow, each value a row. */
export function createValueTables(kit: Kit) {
  return {
    platforms: createValues(kit, 'platforms'),
    gigTypes: createValues(kit, 'gig_types'),
    gigEvents: createValues(kit, 'gig_events'),
    paymentKinds: createValues(kit, 'payment_kinds'),
  };
}

export type ValueTables = ReturnType<typeof createValueTables>;

/** What is written when a store is opened, by the names of the tables. */
export const VALUES: Readonly<Record<string, () => readonly string[]>> = {
  platforms: () => PLATFORMS.map(({ id }) => id),
  gig_types: () => GIG_TYPES,
  gig_events: () => GIG_EVENTS,
  payment_kinds: () => PAYMENT_KINDS,
};
