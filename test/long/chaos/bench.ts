import { startAnvil } from '../../../sandbox/anvil.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import type { Pace } from './clocks.ts';
import { type Engine, type Ledgers, openPostgresLedgers, openSqliteLedgers } from './ledgers.ts';
import { createNode, type Node } from './node.ts';
import { type Payer, prepare } from './scenario.ts';

/** More blocks than any reorganisation takes back, so that the funding stays. */
const BLOCKS_BEFORE = 70;

/** The node puts a chain back to states that it has in memory alone, and forgets none between the resets by itself. */
const KEPT_STATES = 5_000;

/** A node and ledgers of one's own. */
export interface Bench {
  readonly node: Node;
  readonly usdc: Address;
  readonly payers: readonly Payer[];
  readonly ledgers: Ledgers;
  /**
   * Puts the chain back, removes every ledger, and answers a new one, all as before the claims were made.
   * @param pace how the chain's time goes from then on
   */
  reset(pace: Pace): Promise<string>;
  close(): Promise<void>;
}

/** Starts a node and prepares it and a ledger. */
export async function openBench(engine: Engine): Promise<Bench> {
  const ledgers = engine === 'postgres' ? await openPostgresLedgers() : openSqliteLedgers();
  const anvil = await startAnvil({ keptStates: KEPT_STATES });
  async function close(): Promise<void> {
    await anvil.stop();
    await ledgers.close();
  }
  try {
    const { usdc, payers } = await prepare({ url: anvil.url, database: ledgers.prepared });
    const node = createNode(anvil.url);
    await node.result('evm_setAutomine', [false]);
    let snapshot = await node.result('evm_snapshot', []);
    return {
      node,
      usdc,
      payers,
      ledgers,
      async reset(pace) {
        // Blocks that were taken back leave their transactions to the node's pool: they would pay in the next claims' place.
        await node.result('anvil_dropAllTransactions', []);
        await node.result('evm_revert', [snapshot]);
        snapshot = await node.result('evm_snapshot', []);
        node.setPace(pace);
        await node.setClock();
        await node.result('anvil_mine', [BLOCKS_BEFORE]);
        return await ledgers.reset();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
