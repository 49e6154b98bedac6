import { and, eq, isNull, sql } from 'drizzle-orm';
import type { NewTransfer, Transfer } from '../../domain/transfer.ts';
import { type Db, prepare, type SyncWrites } from '../sqlite/kit.ts';
import { createClaimLookup } from './claims.ts';
import { TRANSFER_OPEN, tips, transfers } from './tables.ts';
import { createTokenLookup } from './tokens.ts';
import { createTransferLookup } from './transfers.ts';

const placeholder = sql.placeholder;

/** Inserts a planned transfer and returns it. */
function createInsert(db: Db): (transfer: NewTransfer, now: number) => Transfer {
  const transferById = createTransferLookup(db);
  const insert = prepare(
    db,
    db
      .insert(transfers)
      .values({
        kind: placeholder('kind'),
        chainId: placeholder('chainId'),
        sender: placeholder('sender'),
        gigId: placeholder('gigId'),
        claimId: placeholder('claimId'),
        tokenId: placeholder('tokenId'),
        recipient: placeholder('recipient'),
        amount: placeholder('amount'),
        state: 'planned',
        createdAt: placeholder('now'),
        updatedAt: placeholder('now'),
      })
      .returning({ id: transfers.id }),
  );
  return (transfer, now) => {
    const { id } = insert.get({ ...transfer, now });
    const planned = transferById(id);
    if (planned === null) throw new TypeError(`transfer ${id} was not stored`);
    return planned;
  };
}

/** Assigns one of its claim's tips to a transfer and returns the amount; undefined when the tip does not fit. */
function createAssignment(db: Db) {
  const assign = prepare(
    db,
    db
      .update(tips)
      .set({ transferId: sql`${placeholder('transferId')}` })
      .where(
        and(
          eq(tips.id, placeholder('tipId')),
          eq(tips.status, 'pending'),
          isNull(tips.transferId),
          isNull(tips.paymentId),
          eq(tips.claimNonce, placeholder('publicId')),
          eq(tips.userAddress, placeholder('recipient')),
          eq(tips.gigId, placeholder('gigId')),
          eq(tips.tokenId, placeholder('tokenId')),
        ),
      )
      .returning({ amount: tips.amount }),
  );
  return (transfer: Transfer, { tipId, publicId }: { tipId: number; publicId: string }): bigint | undefined => {
    const { id: transferId, recipient, gigId, token } = transfer;
    const bound = { transferId, tipId, publicId, recipient, gigId, tokenId: token.id };
    // Drizzle types the row as present, but it is undefined when no tip was changed.
    const tip: { amount: bigint } | undefined = assign.get(bound);
    return tip?.amount;
  };
}

/** Assigns these tips to a transfer and checks their exact sum; a transfer without a claim pays none. */
function createPayment(db: Db): (transfer: Transfer, tipIds: readonly number[]) => void {
  const claimById = createClaimLookup(db);
  const assign = createAssignment(db);
  return (transfer, tipIds) => {
    const { kind, claimId, amount } = transfer;
    if ((claimId !== null) !== tipIds.length > 0) throw new RangeError(`a ${kind} cannot pay ${tipIds.length} tips`);
    if (claimId === null) return;
    const claim = claimById(claimId);
    if (claim === null) throw new RangeError(`there is no claim ${claimId} to pay`);
    let sum = 0n;
    for (const tipId of tipIds) {
      const added = assign(transfer, { tipId, publicId: claim.publicId });
      if (added === undefined)
        throw new RangeError(`tip ${tipId} is not one that claim ${claimId} holds for this payment`);
      sum += added;
    }
    if (sum !== amount) throw new RangeError(`a payment of ${amount} cannot pay tips of ${sum}`);
  };
}

export function createPlanWrites(db: Db): Pick<SyncWrites, 'planTransfer' | 'planAgain'> {
  const insert = createInsert(db);
  const pay = createPayment(db);
  const tokenById = createTokenLookup(db);
  const transferById = createTransferLookup(db);
  const replace = prepare(
    db,
    db
      .update(transfers)
      .set({ state: 'replaced', reason: sql`${placeholder('reason')}`, updatedAt: sql`${placeholder('now')}` })
      .where(and(eq(transfers.id, placeholder('id')), TRANSFER_OPEN)),
  );
  const move = prepare(
    db,
    db
      .update(tips)
      .set({ transferId: sql`${placeholder('to')}` })
      .where(eq(tips.transferId, placeholder('from'))),
  );
  return {
    planTransfer: db.$client.transaction((transfer, { now, tipIds }) => {
      const { tokenId, chainId } = transfer;
      if (tokenById(tokenId)?.chainId !== chainId) throw new RangeError(`chain ${chainId} has no token ${tokenId}`);
      const planned = insert(transfer, now);
      pay(planned, tipIds);
      return planned;
    }),
    planAgain: db.$client.transaction((id, { reason, now }) => {
      const old = transferById(id);
      if (old === null || replace.run({ id, reason, now }).changes !== 1) return null;
      const { token, ...payment } = old;
      const planned = insert({ ...payment, tokenId: token.id }, now);
      move.run({ from: id, to: planned.id });
      return planned;
    }),
  };
}
