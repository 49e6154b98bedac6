import { isGivenUp } from '../../../domain/earning/holding/entry.ts';
import {
  type HeldInBlock,
  type Holding,
  type HoldingStanding,
  UNKNOWN_PAUSE_MS,
} from '../../../domain/earning/holding/holding.ts';
import type { AccountFacts } from '../../../domain/earning/platform.ts';
import type { Settleable, StoreTx } from '../../../store/port/index.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import { askToken, sumHeld, type TokenTold } from './ask-token.ts';

/** What the token of a gig's gate says about accounts that are to be judged; null where the gig has no such gate. */
export interface GateTold {
  readonly holding: Holding;
  readonly told: TokenTold;
}

/** Asks what these accounts hold now, in one settled block. @throws AdapterError when the chain does not answer */
export async function askForGate(
  { chains }: WatchContext,
  { gig, rules }: WatchedGig,
  accounts: readonly AccountFacts[],
): Promise<GateTold | null> {
  const { minHolding: holding } = rules.gates;
  if (holding === undefined) return null;
  const owners = [...new Set(accounts.flatMap(({ addresses }) => addresses))];
  const told = await askToken(chains.reader(gig.token.chainId), { token: holding.token.address, owners });
  return { holding, told };
}

/** Since when the token has not told of an account, in each answer. */
async function unknownSince(tx: StoreTx, { earning }: Settleable, now: number): Promise<number> {
  const all = await tx.evaluations(earning.gigId, earning);
  const known = all.findLastIndex(({ state, facts }) => state !== 'held' || facts?.holding?.isUnknown !== true);
  return all[known + 1]?.at ?? now;
}

/** How an account stands to its gig's gate. */
export async function standingAtGate(
  tx: StoreTx,
  settleable: Settleable,
  { gate, account, now }: { gate: GateTold; account: AccountFacts; now: number },
): Promise<HoldingStanding> {
  const { holding, told } = gate;
  const facts = { token: holding.token, needed: String(holding.amount) };
  const amount = sumHeld(account.addresses, told);
  if (amount === null) {
    const unknown = { ...facts, isUnknown: true };
    if (isGivenUp(await unknownSince(tx, settleable, now), now)) return { state: 'never_known', facts: unknown };
    return { state: 'waits', dueAt: now + UNKNOWN_PAUSE_MS, facts: unknown };
  }
  const last: HeldInBlock = { amount: String(amount), block: String(told.block.number), hash: told.block.hash };
  return { state: amount < holding.amount ? 'too_little' : 'enough', facts: { ...facts, last } };
}
