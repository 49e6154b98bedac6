import { refuseBehind } from '../../../domain/chains/anchor.ts';
import { lookBackFrom } from '../../../domain/chains/block.ts';
import { readObjection, readTrouble } from '../../../domain/chains/endpoint-trouble.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import type {
  MarkQuery,
  Objection,
  PaidEvent,
  PayerChain,
  WalletCall,
  WalletNumbers,
  WalletPayment,
} from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment, TankTransaction } from '../../../domain/payments/payment.ts';
import { walletPayments } from '../../../domain/payments/payment-batch.ts';
import { bitOf, byWord } from '../../../domain/payments/payment-numbers.ts';
import { smaller } from '../../../domain/payments/payment-step.ts';
import type { Store, StoreTx } from '../../../store/port/index.ts';
import type { Facts } from './context.ts';

/** A transaction of the gas tank that is not over, with the payments that it holds. */
export interface HeldTransaction extends TankTransaction {
  readonly held: readonly NumberedPayment[];
  /** When it was last tried to settle it, without success; null before. */
  readonly triedAt: number | null;
  /** Why the endpoint refused its last bytes; null when it took them, or did not say. */
  readonly objection: Objection | null;
}

/** When the endpoint last did not tell the outcome of one of these sent payments: other reasons are its troubles. */
function lastTry(held: readonly NumberedPayment[]): number | null {
  const untold = held.filter(({ reason }) => reason !== null && readTrouble(reason) === null);
  return untold.length === 0 ? null : Math.max(...untold.map(({ updatedAt }) => updatedAt));
}

/** A stored transaction with what it holds. */
export async function readHeld(store: Store, transaction: TankTransaction): Promise<HeldTransaction> {
  const held = await store.paymentsInTransaction(transaction.id);
  const objection = held.map(({ reason }) => readObjection(reason)).find((each) => each !== null) ?? null;
  return { ...transaction, held, triedAt: lastTry(held), objection };
}

/** What the ledger has under way on a chain. */
export async function readLedger(store: Store, chainId: number) {
  const [transactions, dueAt] = await Promise.all([store.openTankTransactions(chainId), store.nextPaymentDue(chainId)]);
  const open = await Promise.all(transactions.map((transaction) => readHeld(store, transaction)));
  return { open, dueAt };
}

/**
 * What a chain says now. The order matters: nonces before the blocks in which their effect is looked up, and the anchor
 * last, so that a reorganisation in between is noticed now or, by the block that was read before, at the next look.
 * @throws AdapterError when the chain does not answer, or is not as far as the block on which the ledger counts: it lags,
 * or has lost blocks and will grow again
 */
export async function readFacts(store: Store, payer: PayerChain): Promise<Facts> {
  const tank = await payer.tank();
  const head = await payer.head();
  const anchor = await store.chainAnchor(payer.chain.id);
  refuseBehind(head.latest.number, { chainKey: payer.chain.key, anchor });
  const isAnchorCanonical = anchor === null || (await payer.isCanonical(anchor));
  return { ...tank, ...head, anchor, isAnchorCanonical };
}

/** Has the ledger count on a settled block, unless it counts on a newer one already. */
export async function moveAnchor(tx: StoreTx, payer: PayerChain, { settled }: Facts): Promise<void> {
  const anchor = await tx.chainAnchor(payer.chain.id);
  if (anchor === null || anchor.number < settled.number) await tx.setChainAnchor(payer.chain.id, settled);
}

/**
 * Reads after a block which of these numbers are marked; answers for them alone.
 * @param areDue whether they are to be: what one endpoint does not have as marked is then asked of the next one
 */
export async function readMarked(
  payer: PayerChain,
  wanted: readonly WalletNumbers[],
  blockNumber: bigint,
  { areDue = true }: { areDue?: boolean } = {},
): Promise<(wallet: Address, number: bigint) => boolean> {
  const keyOf = (wallet: Address, word: bigint) => `${wallet} ${word}`;
  const queries = new Map<string, MarkQuery>();
  for (const { wallet, numbers } of wanted) {
    for (const { word, bits } of numbers.map(bitOf)) {
      const key = keyOf(wallet, word);
      const due = (queries.get(key)?.due ?? 0n) | (areDue ? bits : 0n);
      queries.set(key, { wallet, word, due });
    }
  }
  const words = await payer.marks([...queries.values()], blockNumber);
  const marked = new Map([...queries.keys()].map((key, index) => [key, words[index] ?? 0n]));
  return (wallet, number) => {
    const { word, bits } = bitOf(number);
    return ((marked.get(keyOf(wallet, word)) ?? 0n) & bits) !== 0n;
  };
}

/** How many requests for events the sender makes at once: a chain's payments wait meanwhile. */
export const FEW_REQUESTS = 100n;

/** Where the creation was not noted, the wallet can first have paid at the start. */
async function firstBlockOf(store: Store, gigId: number): Promise<bigint> {
  const [gig, [start]] = await Promise.all([store.gig(gigId), store.gigTransactions(gigId)]);
  return lookBackFrom(gig?.createdBlock ?? start?.blockNumber ?? 0n);
}

/** The payments of these gigs' wallets since their creation, up to a block. */
export async function readEvents(
  { store, payer }: { store: Store; payer: PayerChain },
  gigs: readonly { readonly id: number; readonly wallet: Address }[],
  { until, ...terms }: { until: bigint; mostRequests?: bigint | undefined; marked?: readonly WalletNumbers[] },
): Promise<PaidEvent[]> {
  if (gigs.length === 0) return [];
  const blocks = await Promise.all(gigs.map(({ id }) => firstBlockOf(store, id)));
  const from = blocks.reduce(smaller, until);
  return await payer.paidEvents({ wallets: gigs.map(({ wallet }) => wallet), from, to: until, ...terms });
}

/**
 * What payments of one wallet ask of it. One whose tips have changed meanwhile is left out.
 * @returns the call with the payments in it, and how many words each of them marks; null when none is left
 */
export async function askOf<P extends NumberedPayment>(store: Store, payments: readonly P[]) {
  const parts: { readonly payment: P; readonly words: number }[] = [];
  const transfers: WalletPayment[] = [];
  for (const payment of payments) {
    const hasOneWord = byWord(payment.numbers).length === 1;
    const asked = walletPayments(payment, hasOneWord ? [] : await store.tipsOfPayment(payment.id));
    if (asked === null) continue;
    parts.push({ payment, words: asked.length });
    transfers.push(...asked);
  }
  const [first] = parts;
  if (first === undefined) return null;
  const { gigId, wallet } = first.payment;
  const call: WalletCall = { gigId, wallet, payments: transfers };
  return { parts, call };
}
