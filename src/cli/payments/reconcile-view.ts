import { formatAmount } from '../../domain/amount.ts';
import { tokenJson } from '../../domain/facts/fact.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { addsUp } from '../../domain/payments/audit.ts';
import type { Reconciled } from '../../services/audits/reconcile.ts';

function counted(count: number, verb: readonly [one: string, many: string]): string {
  return count === 1 ? `1 payment ${verb[0]}` : `${count} payments ${verb[1]}`;
}

/** These lines tell no fault of the books. */
function notesOf({ audit, frozen }: Reconciled, taken: number): string[] {
  const waiting = frozen === null ? 0 : (audit?.waiting ?? 0);
  return [
    ...(taken === 0
      ? []
      : [
          `${counted(taken, ['was', 'were'])} taken into the ledger, which did not know of ${taken === 1 ? 'it' : 'them'}`,
        ]),
    ...(audit?.notes ?? []),
    ...(waiting === 0 ? [] : [`${counted(waiting, ['waits', 'wait'])}, because it is frozen`]),
  ];
}

/** The audit of a gig, in JSON. Amounts are decimal text in whole tokens. `taken` counts what the ledger learned. */
export function reconciledItem(result: Reconciled, taken: number) {
  const { gig, audit, error, frozen, change } = result;
  const { token } = gig;
  const amount = (units: bigint) => formatAmount(units, token.decimals);
  return {
    gig_id: gig.id,
    ...tokenJson(token),
    wallet_address: checksummed(gig.walletAddress),
    adds_up: audit && addsUp(audit),
    expected: audit && amount(audit.expected),
    held: audit === null || audit.held === null ? null : amount(audit.held),
    block_number: audit && Number(audit.blockNumber),
    problems: audit?.problems ?? [],
    unproved: audit?.unproved ?? [],
    notes: notesOf(result, taken),
    taken,
    error,
    frozen,
    change,
  };
}

export type Item = ReturnType<typeof reconciledItem>;

/** The first line about a gig. */
export function headline(item: Item): string {
  const { gig_id: gigId, held, token, block_number: block, change } = item;
  if (item.error !== null) return `? gig ${gigId} could not be checked: ${item.error}`;
  const holds = `${held ?? 'an unknown amount of'} ${token.symbol} in the wallet at block ${block}`;
  if (item.adds_up === false) {
    return `✗ gig ${gigId} does not add up and ${change === 'frozen' ? 'is frozen now' : 'stays frozen'}: ${holds}`;
  }
  if (item.adds_up === null) {
    const paying = item.frozen === null ? '' : '; it stays frozen';
    return `? the audit of gig ${gigId} is inconclusive: ${holds}${paying}`;
  }
  const then = change === 'released' ? ', and it pays again' : item.frozen === null ? '' : `; frozen: ${item.frozen}`;
  return `✓ gig ${gigId} adds up: ${holds}${then}`;
}
