import type { Actor } from '../../domain/actor.ts';
import type { Chain, Chains, GigWallets } from '../../domain/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import type { PaidEvent, PayerChains } from '../../domain/payer-chain.ts';
import { FEE_NUMBER } from '../../domain/payment.ts';
import { isMark } from '../../domain/payment-marks.ts';
import { OTHER_NUMBERS } from '../../domain/tip.ts';
import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/token.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { findOrAddToken } from '../gigs/tokens.ts';
import { type Deed, recordGigEvent } from '../operators/audit-events.ts';
import { type FoundWallet, findPaid, findWallets } from './find-wallets.ts';

/** How long tips can be awarded from a rebuilt gig, so that those that were lost can be awarded again: 30 days. */
const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

export interface RebuildDeps {
  readonly store: Store;
  readonly payers: PayerChains;
  readonly chains: Chains;
  readonly wallets: GigWallets;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly actor: Actor;
}

export interface RebuildRequest {
  /** How many wallets in a row without a trace end the search. */
  readonly gap: number;
  /** Tokens whose balances are looked for: a wallet that has paid nothing yet shows its own in no other way. */
  readonly tokens: readonly { readonly chain: Chain; readonly address: Address }[];
  /** When the service began, epoch milliseconds; null when it is not known. */
  readonly since: number | null;
}

/** A gig as its chain shows it. Amounts are base units of its token. */
export interface RebuiltGig {
  readonly gig: Gig;
  /** What its wallet has paid in payouts and fees, and in how many payments. */
  readonly moved: bigint;
  readonly payments: number;
  readonly held: bigint;
}

/** What a gig's wallet has done, and in which token. */
interface Traced {
  readonly found: FoundWallet;
  readonly events: readonly PaidEvent[];
  readonly token: Token;
  readonly held: bigint;
}

/** The token of a gig: what its wallet has paid most often, else what it holds. */
function tokenOf({ held }: FoundWallet, events: readonly PaidEvent[]): Address {
  const used = [
    ...Map.groupBy(
      events.filter((event) => !isMark(event)),
      ({ token }) => token,
    ),
  ];
  const [most] = used.toSorted(([, a], [, b]) => b.length - a.length);
  if (most !== undefined) return most[0];
  return [...held.keys()].find((token) => token !== NATIVE_TOKEN_ADDRESS) ?? NATIVE_TOKEN_ADDRESS;
}

async function trace(deps: RebuildDeps, found: FoundWallet, events: readonly PaidEvent[]): Promise<Traced> {
  const { payer, settled } = found.on;
  const address = tokenOf(found, events);
  const [held] = await payer.balances([{ wallet: found.wallet, token: address }], settled.number);
  const token = await findOrAddToken(deps, { chain: payer.chain, address, actor: deps.actor });
  return { found, events, token, held: held ?? 0n };
}

/** What an event has moved of a gig's token; a payment in another token has moved nothing of it. */
function movedBy({ token, amount }: PaidEvent, gig: Token): bigint {
  return token === gig.address ? amount : 0n;
}

function kindOf(event: PaidEvent, token: Token): 'payout' | 'fee' | 'mark' {
  if (event.numbers.includes(FEE_NUMBER)) return 'fee';
  return isMark(event) || event.token !== token.address ? 'mark' : 'payout';
}

/** Stores what a wallet has paid, and gives its numbers to no tip again. */
async function keepPayments(tx: StoreTx, gig: Gig, { events, token }: Traced, now: number): Promise<void> {
  const { id: gigId } = gig;
  const counted = events.flatMap(({ numbers }) => numbers.filter((number) => number < OTHER_NUMBERS));
  await tx.skipTipNumbers(gigId, Math.max(-1, ...counted.map(Number)) + 1);
  for (const event of events) {
    const { numbers, to: recipient, hash, blockNumber } = event;
    const shared = { chainId: token.chainId, gigId, claimId: null, tokenId: token.id, recipient, numbers };
    const payment = { ...shared, kind: kindOf(event, token), amount: movedBy(event, token) };
    await tx.adoptPayment(payment, { hash, blockNumber, gasUsed: 0n, tipIds: [], now });
  }
}

async function keepGig(tx: StoreTx, traced: Traced, { now, actor }: Deed): Promise<RebuiltGig> {
  const { found, events, token, held } = traced;
  const sumOf = (some: readonly PaidEvent[]) => some.reduce((sum, event) => sum + movedBy(event, token), 0n);
  const moved = sumOf(events);
  const feeAmount = sumOf(events.filter((event) => kindOf(event, token) === 'fee'));
  const [holder, window] = ['rebuild', { startTime: now, endTime: now + WINDOW_MS }];
  const terms = {
    tokenId: token.id,
    rewardAmount: moved - feeAmount + held,
    feeAmount,
    ...window,
    duration: WINDOW_MS,
    gigType: 'custom_bounty',
    platform: 'farcaster',
    howToEarn: null,
    earningCriteria: 'This gig was rebuilt from its chain; what it was for is not known.',
    externalUrl: null,
    verifier: null,
  } as const;
  const { id: gigId } = await tx.insertGig(terms, { now, id: found.gigId, walletAddress: () => found.wallet });
  await tx.lockGig(gigId, { holder, now, until: now + 1 });
  if (!(await tx.markLive(gigId, { holder, ...window }))) throw new TypeError(`gig ${gigId} cannot be made live`);
  const blockNumber = events[0]?.blockNumber ?? found.on.settled.number;
  const amounts = { amount: terms.rewardAmount, commissionAmount: feeAmount };
  const start = { gigId, tokenId: token.id, chainId: token.chainId, ...amounts, blockNumber, checkBlock: null };
  await tx.recordGigTransaction(start, now);
  const gig = await tx.gig(gigId);
  if (gig === null) throw new TypeError(`gig ${gigId} was not stored`);
  await keepPayments(tx, gig, traced, now);
  const reason = `it was rebuilt from its chain, and its tips are lost: award them again, then run gig unfreeze ${gigId}`;
  await tx.freezeByOperator(gigId, reason);
  const detail = { payments: events.length, moved, held, token: token.address };
  await recordGigEvent(tx, { actor, now }, { action: 'gig.rebuild', gigId, detail });
  return { gig, moved, payments: events.length, held };
}

/**
 * Rebuilds the gigs of a database that is lost, as far as their chains can tell: wallets, tokens, what was paid and what
 * is left. Each is frozen until an operator has awarded its unpaid tips again, whose numbers no paid tip had. All are
 * stored or none.
 * @throws DomainError `invalid_request` when the database has gigs, or an event is missing
 * @throws AdapterError when a chain does not answer
 */
export async function rebuildGigs(deps: RebuildDeps, request: RebuildRequest): Promise<RebuiltGig[]> {
  const { store, payers, chains, wallets, clock, actor } = deps;
  const refuseGigs = async (reads: Pick<Store, 'gigs'>) => {
    const [known] = await reads.gigs({ phase: 'all', now: clock(), limit: 1 });
    if (known !== undefined) throw invalidRequest('This database has gigs. Only an empty one can be rebuilt.');
  };
  await refuseGigs(store);
  const searched = await Promise.all(
    chains.list().map(async ({ chain }) => {
      const payer = payers.payer(chain.id);
      const tokens = request.tokens.filter((token) => token.chain.id === chain.id).map(({ address }) => address);
      return { payer, settled: (await payer.head()).settled, tokens };
    }),
  );
  const found = await findWallets({ chains: searched, wallets }, request);
  const paid = await findPaid(found, request.since);
  const traced: Traced[] = [];
  for (const each of found) traced.push(await trace(deps, each, paid.get(each) ?? []));
  return await store.transaction(async (tx) => {
    await refuseGigs(tx);
    const now = clock();
    const rebuilt: RebuiltGig[] = [];
    for (const each of traced) rebuilt.push(await keepGig(tx, each, { now, actor }));
    return rebuilt;
  });
}
