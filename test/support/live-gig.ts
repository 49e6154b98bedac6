/**
 * The columns that the ledger may change of a live gig, because they are no terms: its start lock, what its tips add up to and
 * how they are numbered, the gas of its payments, and why it pays nothing.
 */
export const CHANGEABLE: readonly string[] = [
  'start_lock_holder',
  'start_lock_until',
  'awarded_amount',
  'frozen_reason',
  'operator_freeze',
  'next_tip_number',
  'gas_used',
  'reserved_amount',
  'voided_amount',
  // Until when and why it does not start by itself.
  'start_until',
  'start_try_at',
  'start_refusal',
  // By which transaction an owner says to have paid for it.
  'funding_hash',
  // What became of it: each is set once.
  'stopped_at',
  'settled_at',
  'cancelled_at',
  'refund_to',
  'refunded_at',
  // These have rules of their own, for gigs in every state.
  'client',
  'created_by',
  'created_block',
];
