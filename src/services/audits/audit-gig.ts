import type { Actor } from '../../domain/actor.ts';
import { type Audit, auditGig, mustLookUp, unknownNonces, type WalletFacts } from '../../domain/audit.ts';
import type { ChainAuditor, ChainAuditors, Inclusion, TokensSent } from '../../domain/chain.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import type { Transfer } from '../../domain/transfer.ts';
import type { Store } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';

const AT_ONCE = 4;

export interface AuditDeps {
  readonly store: Store;
  readonly auditors: ChainAuditors;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly actor: Actor;
}

export interface AuditSubject {
  readonly gig: Gig;
  /** The block at which its start found the wallet funded. */
  readonly startBlock: bigint;
  /** Why it was frozen before the audit, or null. */
  readonly freezeReason: string | null;
}

async function inTurns<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = [];
  for (let next = 0; next < items.length; next += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(next, next + AT_ONCE).map(work))));
  }
  return done;
}

/** What an audit of a live gig needs to know of its start. */
export async function startOf(store: Pick<Store, 'gigTransactions' | 'gigFreeze'>, gig: Gig): Promise<AuditSubject> {
  const [start] = await store.gigTransactions(gig.id);
  if (start === undefined) throw new TypeError(`gig ${gig.id} is live, and its start was not recorded`);
  return { gig, startBlock: start.blockNumber, freezeReason: await store.gigFreeze(gig.id) };
}

/** The first nonce that the audit covers: nonces from before the start belong to the gig's funder. */
async function firstNonce(
  auditor: ChainAuditor,
  { gig, startBlock: since }: AuditSubject,
  transfers: readonly Transfer[],
  end: number,
) {
  if (unknownNonces(transfers, { first: 0, end }).length === 0) return 0;
  return await auditor.spentNonces({ address: gig.walletAddress, blockNumber: since });
}

async function lookUp(auditor: ChainAuditor, transfers: readonly Transfer[]) {
  const found = await inTurns(transfers, async (transfer): Promise<[number, Inclusion | null]> => {
    const { id, sender: from, token, recipient: to, amount, attempts } = transfer;
    const hashes = attempts.map(({ hash }) => hash);
    return [id, await auditor.inclusion({ hashes, call: { from, token, to, amount } })];
  });
  return new Map(found);
}

/** Wallets as their chain shows them. */
export interface Snapshot {
  readonly blockNumber: bigint;
  /** By gig id. */
  readonly wallets: ReadonlyMap<number, { held: bigint; spentNonces: number }>;
  readonly sent: readonly TokensSent[];
}

/** The wallets of a batch, oldest first, as of one block; states are read first, because endpoints forget them. */
export async function takeSnapshot(auditor: ChainAuditor, batch: readonly AuditSubject[]): Promise<Snapshot> {
  const blockNumber = await auditor.block(batch.at(-1)?.startBlock ?? 0n);
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
    after: oldest.startBlock,
    until: blockNumber,
  });
  return { blockNumber, wallets, sent };
}

/** Audits one gig of a snapshot. @throws AdapterError when its chain does not answer */
export async function auditOf(deps: AuditDeps, started: AuditSubject, snapshot: Snapshot): Promise<Audit> {
  const { gig, startBlock: since } = started;
  const { blockNumber } = snapshot;
  const auditor = deps.auditors.auditor(gig.token.chainId);
  const wallet = snapshot.wallets.get(gig.id);
  if (wallet === undefined) throw new TypeError(`the wallet of gig ${gig.id} was not read`);
  const sent = snapshot.sent.filter(
    (each) => each.owner === gig.walletAddress && each.token === gig.token.address && each.blockNumber > since,
  );
  // Read after the block: each of its transactions was in the ledger before it was sent.
  const [transfers, accepted] = await Promise.all([
    deps.store.transfersOfGig(gig.id),
    deps.store.acknowledgedActivity(gig.id),
  ]);
  const end = wallet.spentNonces;
  const facts: WalletFacts = {
    blockNumber,
    sent,
    held: wallet.held,
    nonces: { first: await firstNonce(auditor, started, transfers, end), end },
    inclusions: await lookUp(
      auditor,
      transfers.filter((transfer) => mustLookUp(gig, transfer, { blockNumber, sent })),
    ),
  };
  return auditGig(gig, transfers, facts, accepted);
}

/** The gig, which must have started. @throws DomainError `gig_not_found`, or `invalid_request` when it has not */
export async function findLiveGig(deps: Pick<AuditDeps, 'store'>, gigId: number): Promise<Gig> {
  const gig = await findGig(deps, { gigId });
  if (gig.status !== 'created') return gig;
  throw new DomainError({ code: 'invalid_request', message: `Gig ${gigId} has not started, so it owes nothing.` });
}
