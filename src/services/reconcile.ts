import { type Audit, auditGig, mustLookUp, unknownNonces, type WalletFacts } from '../domain/audit.ts';
import type { ChainAuditor, ChainAuditors, ChainLanding, TokensSent } from '../domain/chain.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { Gig } from '../domain/gig.ts';
import type { Transfer } from '../domain/transfer.ts';
import type { Store } from '../store/port.ts';
import { findGig } from './gigs.ts';

/** How many wallets' events are asked for together. */
const BATCH = 50;
/** How many questions an endpoint has to answer at the same time. */
const AT_ONCE = 4;
const PAGE = 500;
/** A contract that answers nonsense, or writes more events than an endpoint lists, must not hide the other gigs. */
const MAY_BE_ONE_TOKENS_FAULT: readonly string[] = ['bad_response', 'rejected', 'rate_limited'];

export interface ReconcileDeps {
  readonly store: Store;
  readonly auditors: ChainAuditors;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** What became of one gig. */
export interface Reconciled {
  readonly gig: Gig;
  /** Null when its chain could not be asked; then nothing about the gig was changed. */
  readonly audit: Audit | null;
  /** Why its chain could not be asked, or null. */
  readonly error: string | null;
  /** Why the gig pays nothing from now on, or null when it pays. */
  readonly frozen: string | null;
  /** Whether it paid before and does no more, or the other way round. */
  readonly change: 'stopped' | 'released' | null;
}

interface Started {
  readonly gig: Gig;
  /** The block in which its start found the wallet to hold what it must. */
  readonly since: bigint;
  /** Why it paid nothing before the audit, or null. */
  readonly before: string | null;
}

async function inTurns<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = [];
  for (let next = 0; next < items.length; next += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(next, next + AT_ONCE).map(work))));
  }
  return done;
}

/** Every gig that ever went live, oldest first. */
export async function liveGigs({ store, clock }: Pick<ReconcileDeps, 'store' | 'clock'>): Promise<Gig[]> {
  // One moment for both, or a gig that ends meanwhile would be in neither.
  const now = clock();
  const found: Gig[] = [];
  for (const phase of ['live', 'ended'] as const) {
    let before: number | undefined;
    do {
      const page: Gig[] = await store.gigs({ phase, now, limit: PAGE, before });
      found.push(...page);
      before = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (before !== undefined);
  }
  return found.sort((a, b) => a.id - b.id);
}

async function startOf(store: Pick<Store, 'gigTransactions' | 'gigFreeze'>, gig: Gig): Promise<Started> {
  const [start] = await store.gigTransactions(gig.id);
  if (start === undefined) throw new TypeError(`gig ${gig.id} is live, and its start was not recorded`);
  return { gig, since: start.blockNumber, before: await store.gigFreeze(gig.id) };
}

/** The first of a wallet's nonces that the gig has to answer for: those from before its start are its funder's affair. */
async function firstNonce(auditor: ChainAuditor, { gig, since }: Started, transfers: readonly Transfer[], end: number) {
  if (unknownNonces(transfers, { first: 0, end }).length === 0) return 0;
  return await auditor.spentNonces({ address: gig.walletAddress, blockNumber: since });
}

async function lookUp(auditor: ChainAuditor, transfers: readonly Transfer[]) {
  const found = await inTurns(transfers, async (transfer): Promise<[number, ChainLanding | null]> => {
    const { id, sender: from, token, recipient: to, amount, forms } = transfer;
    const hashes = forms.map(({ hash }) => hash);
    return [id, await auditor.landing({ hashes, call: { from, token, to, amount } })];
  });
  return new Map(found);
}

interface Snapshot {
  readonly blockNumber: bigint;
  /** By gig id. */
  readonly wallets: ReadonlyMap<number, { held: bigint; spentNonces: number }>;
  readonly sent: readonly TokensSent[];
}

/**
 * All wallets of a batch, oldest first, as of one block. Their states are asked for before their events: endpoints
 * forget states.
 */
async function takeSnapshot(auditor: ChainAuditor, batch: readonly Started[]): Promise<Snapshot> {
  const blockNumber = await auditor.block(batch.at(-1)?.since ?? 0n);
  const states = await inTurns(batch, async ({ gig }) => {
    const { token, walletAddress: owner } = gig;
    return [gig.id, await auditor.wallet({ token, owner, blockNumber })] as const;
  });
  const wallets = new Map(states);
  const withEvents = batch.filter(({ gig }) => !gig.token.isNative);
  const [oldest] = withEvents;
  if (oldest === undefined) return { blockNumber, wallets, sent: [] };
  const sent = await auditor.tokensSent({
    tokens: [...new Set(withEvents.map(({ gig }) => gig.token.address))],
    owners: withEvents.map(({ gig }) => gig.walletAddress),
    after: oldest.since,
    until: blockNumber,
  });
  return { blockNumber, wallets, sent };
}

async function audit(deps: ReconcileDeps, started: Started, snapshot: Snapshot): Promise<Audit> {
  const { gig, since } = started;
  const { blockNumber } = snapshot;
  const auditor = deps.auditors.auditor(gig.token.chainId);
  const wallet = snapshot.wallets.get(gig.id);
  if (wallet === undefined) throw new TypeError(`the wallet of gig ${gig.id} was not read`);
  const sent = snapshot.sent.filter(
    (each) => each.owner === gig.walletAddress && each.token === gig.token.address && each.blockNumber > since,
  );
  // After the block: every transaction in it was in the ledger before it was sent.
  const transfers = await deps.store.transfersOfGig(gig.id);
  const end = wallet.spentNonces;
  const facts: WalletFacts = {
    ...{ blockNumber, sent, held: wallet.held },
    nonces: { first: await firstNonce(auditor, started, transfers, end), end },
    landings: await lookUp(
      auditor,
      transfers.filter((transfer) => mustLookUp(gig, transfer, { blockNumber, sent })),
    ),
  };
  return auditGig(gig, transfers, facts);
}

/** Stops or releases a gig. What stopped it while it was audited was not seen by the audit, and stays. */
async function decide({ store, clock }: ReconcileDeps, { gig, before }: Started, reason: string | null) {
  return await store.transaction(async (tx) => {
    const current = await tx.gigFreeze(gig.id);
    if (reason === current || (reason === null && current !== before)) return current;
    await tx.freezeGig(gig.id, { reason, now: clock() });
    return reason;
  });
}

async function conclude(deps: ReconcileDeps, started: Started, result: Audit | AdapterError): Promise<Reconciled> {
  const { gig, before } = started;
  if (result instanceof AdapterError) {
    return { gig, audit: null, error: result.message, frozen: before, change: null };
  }
  const [problem, ...more] = result.problems;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  const frozen = await decide(deps, started, problem === undefined ? null : `it does not add up: ${problem}${others}`);
  const isSame = (frozen === null) === (before === null);
  return { gig, audit: result, error: null, frozen, change: isSame ? null : frozen === null ? 'released' : 'stopped' };
}

async function attempt<T>(work: () => Promise<T>): Promise<T | AdapterError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterError) return error;
    throw error;
  }
}

async function reconcileBatch(deps: ReconcileDeps, chainId: number, batch: readonly Started[]): Promise<Reconciled[]> {
  const snapshot = await attempt(() => takeSnapshot(deps.auditors.auditor(chainId), batch));
  const results: Reconciled[] = [];
  if (snapshot instanceof AdapterError && batch.length > 1 && MAY_BE_ONE_TOKENS_FAULT.includes(snapshot.reason)) {
    for (const started of batch) results.push(...(await reconcileBatch(deps, chainId, [started])));
    return results;
  }
  for (const started of batch) {
    const result = snapshot instanceof AdapterError ? snapshot : await attempt(() => audit(deps, started, snapshot));
    results.push(await conclude(deps, started, result));
  }
  return results;
}

/**
 * Proves from the chain that the wallet of every live gig, or of the one that is named, holds what was funded, less what
 * was paid and moved as fees. A gig that does not add up is stopped in the store and pays nothing; one that adds up goes
 * on, whatever stopped it. More in a wallet than must be there stops nothing, because anybody can send it.
 * @throws DomainError `gig_not_found`, or `invalid_request` for a gig that has not started
 */
export async function reconcileGigs(
  deps: ReconcileDeps,
  { gigId }: { gigId?: number | undefined } = {},
): Promise<Reconciled[]> {
  const gigs = gigId === undefined ? await liveGigs(deps) : [await findGig(deps, { gigId })];
  if (gigs.some(({ status }) => status === 'created')) {
    throw new DomainError({ code: 'invalid_request', message: `Gig ${gigId} has not started, so it owes nothing.` });
  }
  const starts = await Promise.all(gigs.map((gig) => startOf(deps.store, gig)));
  const started = starts.sort((a, b) => Number(a.since - b.since));
  const results: Reconciled[] = [];
  for (const [chainId, ofChain] of Map.groupBy(started, ({ gig }) => gig.token.chainId)) {
    for (let next = 0; next < ofChain.length; next += BATCH) {
      results.push(...(await reconcileBatch(deps, chainId, ofChain.slice(next, next + BATCH))));
    }
  }
  return results.sort((a, b) => a.gig.id - b.gig.id);
}
