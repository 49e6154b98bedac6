import {
  type DurationCount,
  type DurationKind,
  type DurationSummary,
  dayNumber,
  daysLeft,
  summarizeDurations,
  type TokenSums,
} from '../../domain/operators/day-sums.ts';
import { TRANSFER_GAS, TRANSFERS_IN_RESERVE } from '../../domain/payments/payment-limits.ts';
import type { TimedReads } from '../context.ts';
import type { GasTank } from '../payments/gas-tank.ts';

/** How many days a sparkline has, today's included. */
export const DAYS_SHOWN = 14;
/** Over how many days the pace of the gas tank, the medians and the worst times are taken, today's included. */
export const DAYS_COUNTED = 7;

export interface TimesTaken {
  /** Of the last {@link DAYS_COUNTED} days; null when nothing ended then. */
  readonly summary: DurationSummary | null;
  /** The medians of the last {@link DAYS_SHOWN} days in milliseconds, oldest first; null for a day without any. */
  readonly medians: readonly (number | null)[];
}

/** Money and time, from the sums that triggers keep. */
export interface MoneyAndTime {
  /** Those of the most gigs first. */
  readonly tokens: readonly (TokenSums & { readonly paidByDay: readonly bigint[] })[];
  /** When the oldest payment that waits was planned, epoch milliseconds; null when none waits. */
  readonly oldestWaiting: number | null;
  readonly heldReplies: number;
  /** How many days the gas tank lasts, by chain id; null where nothing was spent, or its level is not known. */
  readonly tankDays: ReadonlyMap<number, number | null>;
  readonly times: Readonly<Record<DurationKind, TimesTaken>>;
}

/** What so much gas costs now: the reserve is what a number of transfers cost, publishing included. */
function costOf(gas: bigint, { reserve }: { readonly reserve: bigint }): bigint {
  return (gas * reserve) / (TRANSFERS_IN_RESERVE * TRANSFER_GAS);
}

function tankDaysOf(gasTank: GasTank | null, used: ReadonlyMap<number, bigint>): ReadonlyMap<number, number | null> {
  const standings = gasTank?.standings() ?? [];
  return new Map(
    standings.map(({ chain, level }) => {
      const spent = level === null ? 0n : costOf(used.get(chain.id) ?? 0n, level);
      return [chain.id, level === null ? null : daysLeft({ balance: level.balance, spent, days: DAYS_COUNTED })];
    }),
  );
}

function timesOf(counts: readonly (DurationCount & { day: number })[], days: readonly number[]): TimesTaken {
  const first = days.at(-DAYS_COUNTED) ?? 0;
  return {
    summary: summarizeDurations(counts.filter(({ day }) => day >= first)),
    medians: days.map((day) => summarizeDurations(counts.filter((each) => each.day === day))?.median ?? null),
  };
}

/** What operators see of money and time. It costs the same for any number of gigs, payments and mentions. */
export async function readMoneyAndTime({
  store,
  clock,
  gasTank,
}: TimedReads & { readonly gasTank: GasTank | null }): Promise<MoneyAndTime> {
  const today = dayNumber(clock());
  const days = Array.from({ length: DAYS_SHOWN }, (_, index) => today - DAYS_SHOWN + 1 + index);
  const [since = 0] = days;
  const tokens = await store.tokenSums({ since });
  const durations = await store.durations(since);
  const used = await store.gasUsed(today - DAYS_COUNTED + 1);
  const ofKind = (kind: DurationKind) =>
    timesOf(
      durations.filter((each) => each.kind === kind),
      days,
    );
  return {
    tokens: tokens.map((sums) => ({ ...sums, paidByDay: days.map((day) => sums.paidOn.get(day) ?? 0n) })),
    oldestWaiting: await store.oldestWaitingPayment(),
    heldReplies: await store.heldReplies(),
    tankDays: tankDaysOf(gasTank, used),
    times: { reply: ofKind('reply'), payment: ofKind('payment') },
  };
}
