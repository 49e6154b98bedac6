import type { DatabaseSession } from '../connections/session.ts';

/**
 * A receipt is a row that a transaction inserts right before its commit. When the commit gets no answer, the receipt tells
 * its outcome.
 */
export function insertReceipt(id: string) {
  return { name: 'insert-receipt', text: 'insert into receipts (id) values ($1)', values: [id] };
}

/**
 * Whether the transaction with this receipt was committed. It waits while its commit is under way; a transaction that
 * was not committed never will be, because its receipt is taken from then on.
 */
export async function wasCommitted(session: DatabaseSession, id: string): Promise<boolean> {
  const { rows } = await session.query({
    name: 'void-receipt',
    text:
      'insert into receipts (id, is_void) values ($1, true) ' +
      'on conflict (id) do update set id = excluded.id returning is_void',
    values: [id],
  });
  return rows[0]?.[0] === false;
}

/** After it a receipt is deleted: nobody asks for it any more. */
const KEPT_MINUTES = 10;

export async function deleteOldReceipts(session: DatabaseSession): Promise<void> {
  await session.query({
    text: `delete from receipts where made_at < clock_timestamp() - interval '${KEPT_MINUTES} minutes'`,
  });
}
