import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { TransferAttempt, TransferState } from '../../domain/transfer.ts';
import type { SettledInclusion } from '../port/index.ts';
import { type Db, prepare, prepareRaw, type SyncWrites } from '../sqlite/kit.ts';
import { createPayoutCount } from './gig-payouts.ts';
import { TRANSFER_OPEN, TRANSFER_PLANNED, tips, transferAttempts, transfers } from './tables.ts';
import { createTransferLookup, createTurnLookups } from './transfers.ts';

const placeholder = sql.placeholder;
const bound = (name: string) => sql`${placeholder(name)}`;

const isTransfer = eq(transfers.id, placeholder('id'));
const isPlanned = and(isTransfer, TRANSFER_PLANNED);
const isOpen = and(isTransfer, TRANSFER_OPEN);
const isTipOfTransfer = and(eq(tips.transferId, placeholder('id')), eq(tips.status, 'pending'));
const noClaim = { claimNonce: null, claimStartedAt: null, lockTimeout: null };

const ATTEMPT = {
  transferId: placeholder('transferId'),
  hash: placeholder('hash'),
  raw: placeholder('raw'),
  maxFeePerGas: placeholder('maxFeePerGas'),
  maxPriorityFeePerGas: placeholder('maxPriorityFeePerGas'),
  gas: placeholder('gas'),
  signedAt: placeholder('signedAt'),
};

interface Change extends Partial<Record<'nonce' | 'hash' | 'blockNumber' | 'gasSpent', SQL>> {
  readonly state?: TransferState;
  readonly reason?: SQL | null;
}

/** Prepares a change of one transfer that requires a certain state; returns whether the transfer was in it. */
function createChange(db: Db, set: Change, condition: SQL | undefined) {
  const update = prepare(
    db,
    db
      .update(transfers)
      .set({ ...set, updatedAt: bound('now') })
      .where(condition),
  );
  return (values: { id: number; now: number; [name: string]: unknown }) => update.run(values).changes === 1;
}

function createSignatures(db: Db): Pick<SyncWrites, 'markSigned' | 'addAttempt' | 'markBroadcast'> {
  const turns = createTurnLookups(db);
  const transfer = createTransferLookup(db);
  const sign = createChange(db, { state: 'signed', nonce: bound('nonce'), reason: null }, isPlanned);
  const touch = createChange(db, {}, isOpen);
  const broadcast = createChange(db, { state: 'broadcast', reason: null }, isOpen);
  const insertAttempt = prepareRaw(db, db.insert(transferAttempts).values(ATTEMPT));
  const keepAttempt = (transferId: number, attempt: TransferAttempt) => {
    insertAttempt.run({ ...attempt, transferId });
  };
  return {
    markSigned: db.$client.transaction((id, { nonce, attempt, now }) => {
      const sender = transfer(id);
      if (sender === null || turns.open(sender) !== undefined || !sign({ id, nonce, now })) return false;
      keepAttempt(id, attempt);
      return true;
    }),
    addAttempt: db.$client.transaction((id, { attempt, now }) => {
      if (!touch({ id, now })) return false;
      keepAttempt(id, attempt);
      return true;
    }),
    markBroadcast: (id, now) => broadcast({ id, now }),
  };
}

/** Refuses an inclusion whose hash is none of the transfer's attempts. */
function createInclusionCheck(db: Db): (id: number, inclusion: SettledInclusion) => void {
  const own = prepare(
    db,
    db
      .select({ hash: transferAttempts.hash })
      .from(transferAttempts)
      .where(and(eq(transferAttempts.hash, placeholder('hash')), eq(transferAttempts.transferId, placeholder('id')))),
  );
  return (id, { hash }) => {
    if (own.get({ id, hash }) === undefined) throw new RangeError(`transfer ${id} was never signed as ${hash}`);
  };
}

function createEndings(db: Db): Pick<SyncWrites, 'markConfirmed' | 'markTransferFailed'> {
  const checkInclusion = createInclusionCheck(db);
  const countPayout = createPayoutCount(db);
  const landed = { hash: bound('hash'), blockNumber: bound('blockNumber'), gasSpent: bound('gasSpent') };
  const confirm = createChange(db, { state: 'confirmed', reason: null, ...landed }, isOpen);
  const failed = { state: 'failed', reason: bound('reason') } as const;
  const drop = createChange(db, failed, isPlanned);
  const fail = createChange(db, { ...failed, ...landed }, isOpen);
  const claimed = { status: 'claimed', txHash: bound('hash'), claimedAt: bound('now'), ...noClaim } as const;
  const settle = prepare(db, db.update(tips).set(claimed).where(isTipOfTransfer));
  const release = prepare(db, db.update(tips).set(noClaim).where(isTipOfTransfer));
  // Bound as an update binds it: integers wider than 64 bits are text.
  const bind = ({ hash, blockNumber, gasSpent }: SettledInclusion) => {
    return { hash, blockNumber: String(blockNumber), gasSpent: String(gasSpent) };
  };
  return {
    markConfirmed: db.$client.transaction((id, { now, ...inclusion }) => {
      if (!confirm({ id, now, ...bind(inclusion) })) return false;
      checkInclusion(id, inclusion);
      settle.run({ id, now, hash: inclusion.hash });
      countPayout(id);
      return true;
    }),
    markTransferFailed: db.$client.transaction((id, { reason, inclusion, now }) => {
      const over = inclusion === null ? drop({ id, now, reason }) : fail({ id, now, reason, ...bind(inclusion) });
      if (!over) return false;
      if (inclusion !== null) checkInclusion(id, inclusion);
      release.run({ id });
      return true;
    }),
  };
}

export function createTransferWrites(
  db: Db,
): Pick<
  SyncWrites,
  'markSigned' | 'addAttempt' | 'markBroadcast' | 'markConfirmed' | 'markTransferFailed' | 'noteTransfer'
> {
  const isNotOver = and(isTransfer, or(TRANSFER_PLANNED, TRANSFER_OPEN));
  const note = createChange(db, { reason: bound('reason') }, isNotOver);
  return {
    ...createSignatures(db),
    ...createEndings(db),
    noteTransfer(id, { reason, now }) {
      note({ id, reason, now });
    },
  };
}
