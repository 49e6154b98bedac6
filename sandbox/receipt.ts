import { setTimeout as sleep } from 'node:timers/promises';
import { type Hash, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Waits for the block that holds a transaction of a local node, which mines nothing more unless it is sent more: viem's
 * own wait looks again only at the next block, and for ever when the one that counts came while it was looking.
 *
 * @throws Error when it was not mined within 30 seconds
 */
export async function minedReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hash,
): Promise<TransactionReceipt> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
      if (performance.now() > end) throw new Error(`transaction ${hash} was not mined`, { cause: error });
    }
    await sleep(PAUSE_MS);
  }
}
