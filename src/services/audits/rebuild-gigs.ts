import { type Chain, decideOnAll } from '../../domain/chains/chain.ts';
import { invalidRequest } from '../../domain/errors.ts';
import { type NewEvent, paymentEvent } from '../../domain/events/event.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { ABSENT_TERMS } from '../../domain/gigs/terms.ts';
import { OTHER_NUMBERS } from '../../domain/gigs/tip.ts';
import { type Address, checksummed, NATIVE_TOKEN_ADDRESS, type Token } from '../../domain/gigs/token.ts';
import type { PaidEvent } from '../../domain/payments/payer-chain.ts';
import { FEE_NUMBER, isOfReturn } from '../../domain/payments/payment.ts';
import { isMark } from '../../domain/payments/payment-marks.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { skipLost } from '../gigs/gig-ids.ts';
import { type Deed, recordGigEvent } from '../operators/audit-events.ts';
import type { RebuildContext } from './context.ts';
import { findPaidSince, type PaidByWallets } from './find-paid.ts';
import { type FoundWallet, openSearch, type SearchedChain, type WalletTraces } from './find-wallets.ts';
import { type KnownGigs, readKnownGigs } from './known-gigs.ts';
import { chooseToken, findFacts, type NamedToken, unlessSilent } from './rebuild-token.ts';
import { type Searched, type SearchRange, searchWallets } from './search-wallets.ts';

/** How long tips can be awarded from a rebuilt gig, so that those that were lost can be awarded again: 30 days. */
const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

export interface RebuildRequest extends SearchRange {
  /** Tokens whose balances are looked for: a wallet that has paid nothing yet shows its own in no other way. */
  readonly tokens: readonly NamedToken[];
  /** The tokens of gigs that have paid nothing and hold several things, by the gigs' ids. */
  readonly gigTokens: ReadonlyMap<number, NamedToken>;
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
  /** What an operator should know of it; mostly nothing. */
  readonly notes: readonly string[];
}

/** A wallet that was used and is not made a gig of. */
export interface LeftOutWallet {
  readonly gigId: number;
  readonly wallet: Address;
  readonly chain: Chain;
  readonly reason: string;
}

export interface Rebuilding {
  readonly gigs: readonly RebuiltGig[];
  readonly leftOut: readonly LeftOutWallet[];
  /** Chains that do not tell whether wallets have paid before `since`. */
  readonly unproved: readonly Chain[];
  readonly looked: Omit<Searched, 'found'>;
}

interface Traced {
  readonly found: FoundWallet;
  readonly events: readonly PaidEvent[];
  readonly token: Token;
  readonly held: bigint;
  readonly notes: readonly string[];
}

function leaveOut({ gigId, wallet, on }: FoundWallet, reason: string): LeftOutWallet {
  return { gigId, wallet, chain: on.payer.chain, reason };
}

const NO_EVENT =
  'it delegates to the payer contract, and the endpoint has no event of a payment: either none of its payments succeeded, or the events are lost';

function notesOf(traces: readonly FoundWallet[], held: bigint | null, doubt: string | null): string[] {
  const elsewhere = traces.filter(({ isDelegated }) => isDelegated).map(({ on }) => on.payer.chain.name);
  return [
    ...(doubt === null ? [] : [doubt]),
    ...(held === null ? ['its token contract does not answer with the balance of its wallet, which counts as 0'] : []),
    ...(elsewhere.length === 0 ? [] : [`its wallet was used on ${elsewhere.join(', ')} as well, and that is left out`]),
  ];
}

async function trace(
  deps: RebuildContext,
  traces: WalletTraces,
  { paid, named }: { paid: PaidByWallets['events']; named: NamedToken | undefined },
): Promise<Traced | LeftOutWallet> {
  const paidBy = (each: FoundWallet) => paid.get(each) ?? [];
  const [most = traces[0], ...others] = traces.toSorted((a, b) => paidBy(b).length - paidBy(a).length);
  const events = paidBy(most);
  if (most.isDelegated && events.length === 0) return leaveOut(most, NO_EVENT);
  const { found, address, doubt } = await chooseToken(deps, [most, ...others], { events, named });
  const { payer, settled } = found.on;
  const { chain } = payer;
  const token = await findFacts(deps, { chain, address });
  if (token === null) {
    return leaveOut(found, `its token ${checksummed(address)} does not answer with its name, symbol and decimals`);
  }
  const asked = payer.balances([{ wallet: found.wallet, token: address }], settled.number);
  const held = (await unlessSilent(deps, chain, asked))?.[0] ?? null;
  return { found, events, token, held: held ?? 0n, notes: notesOf(others, held, doubt) };
}

/** A payment in another token, or of what went back, has moved nothing. */
function movedBy({ token, amount, numbers }: PaidEvent, gig: Token): bigint {
  return token === gig.address && !numbers.some(isOfReturn) ? amount : 0n;
}

function kindOf(event: PaidEvent, token: Token): 'payout' | 'fee' | 'mark' {
  if (event.numbers.includes(FEE_NUMBER)) return 'fee';
  return isMark(event) || event.token !== token.address || event.numbers.some(isOfReturn) ? 'mark' : 'payout';
}

/** The numbers that were paid are given to no tip again. */
async function keepPayments(tx: StoreTx, gig: Gig, { events, token }: Traced, now: number): Promise<void> {
  const { id: gigId } = gig;
  const counted = events.flatMap(({ numbers }) => numbers.filter((number) => number < OTHER_NUMBERS));
  await tx.skipTipNumbers(gigId, Math.max(-1, ...counted.map(Number)) + 1);
  const told: NewEvent[] = [];
  for (const event of events) {
    const { numbers, to: recipient, hash, blockNumber } = event;
    const shared = { chainId: token.chainId, gigId, claimId: null, tokenId: token.id, recipient, numbers };
    const payment = { ...shared, kind: kindOf(event, token), amount: movedBy(event, token) };
    const adopted = await tx.adoptPayment(payment, { hash, blockNumber, gasUsed: 0n, tipIds: [], now });
    told.push(paymentEvent(adopted, { type: 'payment.confirmed', hash, amount: payment.amount, numbers }, now));
  }
  await tx.insertEvents(told);
}

async function keepGig(tx: StoreTx, traced: Traced, { now, actor }: Deed): Promise<RebuiltGig> {
  const { found, events, token, held, notes } = traced;
  const sumOf = (some: readonly PaidEvent[]) => some.reduce((sum, event) => sum + movedBy(event, token), 0n);
  const moved = sumOf(events);
  const feeAmount = sumOf(events.filter((event) => kindOf(event, token) === 'fee'));
  const [holder, window] = ['rebuild', { startTime: now, endTime: now + WINDOW_MS }];
  const terms = {
    ...ABSENT_TERMS,
    tokenId: token.id,
    rewardAmount: moved - feeAmount + held,
    feeAmount,
    ...window,
    duration: WINDOW_MS,
    gigType: 'custom_bounty',
    earningCriteria: 'This gig was rebuilt from its chain; what it was for is not known.',
    externalUrl: null,
    awardDays: 0,
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
  return { gig, moved, payments: events.length, held, notes };
}

function namedOn({ tokens, gigTokens }: RebuildRequest, { id }: Chain): Set<Address> {
  const named = [...tokens, ...gigTokens.values()].filter(({ chain }) => chain.id === id);
  const addresses = new Set(named.map(({ address }) => address));
  addresses.delete(NATIVE_TOKEN_ADDRESS);
  return addresses;
}

/** Tokens that lie and that the operator has not named are just left out of the search. */
function refuseLying(request: RebuildRequest, chains: readonly SearchedChain[]): void {
  for (const { payer, lying } of chains) {
    const refused = [...namedOn(request, payer.chain)].filter((token) => lying.has(token)).map(checksummed);
    if (refused.length === 0) continue;
    throw invalidRequest(
      `These tokens of ${payer.chain.name} answer a balance for a wallet that was never used, so gigs cannot be found by ` +
        `them; leave them out: ${refused.join(', ')}.`,
    );
  }
}

async function openChains(deps: RebuildContext, request: RebuildRequest, known: KnownGigs): Promise<SearchedChain[]> {
  const { payers, chains, wallets } = deps;
  return await Promise.all(
    chains.list().map(({ chain }) => {
      const tokens = [...new Set([...namedOn(request, chain), ...(known.tokens.get(chain.id) ?? [])])];
      return openSearch(payers.payer(chain.id), { tokens, wallets });
    }),
  );
}

/** Ids that the ledger had lost are given to no other gig, and further ids may be lost with them. */
async function keepGigs(
  tx: StoreTx,
  { traced, to }: { traced: readonly Traced[]; to: number | null },
  deed: Deed,
): Promise<RebuiltGig[]> {
  const given = await tx.lastGigId();
  const rebuilt: RebuiltGig[] = [];
  for (const each of traced) {
    const { gigId } = each.found;
    if ((await tx.gig(gigId)) !== null) throw invalidRequest(`Gig ${gigId} is in the database already.`);
    rebuilt.push(await keepGig(tx, each, deed));
  }
  const highest = Math.max(to ?? 0, ...traced.map(({ found }) => found.gigId));
  if (highest > given) await skipLost(tx, highest, deed);
  return rebuilt;
}

/**
 * Rebuilds gigs that the database has lost, as far as their chains can tell: wallets, tokens, what was paid and what is
 * left. Each is frozen until an operator has awarded its unpaid tips again, whose numbers no paid tip had. A wallet that
 * cannot be identified is left out; of the others all are stored or none. Gigs that the database has stay as they are.
 * @throws DomainError `invalid_request` when the one gig that is wanted is there, an event is missing, or a token cannot be
 * what the operator names
 * @throws AdapterError when a chain does not answer
 */
export async function rebuildGigs(deps: RebuildContext, request: RebuildRequest): Promise<Rebuilding> {
  const payers = deps.chains.list().map(({ chain }) => deps.payers.payer(chain.id));
  return await decideOnAll(payers, () => rebuildOnce(deps, request));
}

async function rebuildOnce(deps: RebuildContext, request: RebuildRequest): Promise<Rebuilding> {
  const { store, wallets, clock, actor } = deps;
  const { only, to } = request;
  const known = await readKnownGigs(store, clock());
  if (only !== null && known.ids.has(only)) throw invalidRequest(`Gig ${only} is in the database already.`);
  const chains = await openChains(deps, request, known);
  refuseLying(request, chains);
  const isKnown = (gigId: number) => known.ids.has(gigId);
  let looked = 0;
  const onLooked = (ids: number) => {
    looked += ids;
    deps.onLooked?.(looked, to);
  };
  onLooked(0);
  const { found, lookedTo, stepsTo } = await searchWallets({ chains, wallets, isKnown, onLooked }, request);
  deps.onLooked?.(looked, looked);
  refuseLying(request, chains);
  const { events: paid, unproved } = await findPaidSince(found.flat(), request.since);
  const traced: Traced[] = [];
  const leftOut: LeftOutWallet[] = [];
  for (const [place, each] of found.entries()) {
    deps.onRead?.(place, found.length);
    const result = await trace(deps, each, { paid, named: request.gigTokens.get(each[0].gigId) });
    if ('reason' in result) leftOut.push(result);
    else traced.push(result);
  }
  deps.onRead?.(found.length, found.length);
  const keep = (tx: StoreTx) => keepGigs(tx, { traced, to }, { now: clock(), actor });
  const gigs = await store.transaction(keep, { isUnseen: true });
  return { gigs, leftOut, unproved: unproved.map(({ payer }) => payer.chain), looked: { lookedTo, stepsTo } };
}
