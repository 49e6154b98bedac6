import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startAnvil } from '../../../sandbox/anvil.ts';
import type { Address } from '../../../src/domain/token.ts';
import { temporaryFolder } from '../../support/store.ts';
import { createNode, type Node } from './node.ts';
import { type Payer, prepare } from './scenario.ts';

/** More blocks than any reorganisation takes back, so that the funding stays. */
const BLOCKS_BEFORE = 70;

/** The node puts a chain back to states that it has in memory alone, and forgets none between the resets by itself. */
const KEPT_STATES = 5_000;

/** A node and databases of one's own. */
export interface Bench {
  readonly node: Node;
  readonly usdc: Address;
  readonly payers: readonly Payer[];
  /** Puts the chain back, removes every database, and answers the path of a new one, all as before the claims were made. */
  reset(): Promise<string>;
  /** The empty folder for copies of a database after its commits; the database before all of them is `0.db` there. */
  copiesFolder(): string;
  /** How many copies there are besides the first one. */
  countCopies(): number;
  /** Puts a database back to one of the copies. */
  restore(path: string, copy: number): void;
  close(): Promise<void>;
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(path + suffix, { force: true });
}

/** Starts a node and prepares it and a database. */
export async function openBench(): Promise<Bench> {
  const anvil = await startAnvil({ keptStates: KEPT_STATES });
  const folder = temporaryFolder();
  const inUse = join(folder.path, 'in-use');
  const copies = join(folder.path, 'copies');
  async function close(): Promise<void> {
    await anvil.stop();
    folder.remove();
  }
  function emptied(path: string): string {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    return path;
  }
  try {
    const prepared = join(folder.path, 'prepared.db');
    const { usdc, payers } = await prepare({ url: anvil.url, databasePath: prepared });
    const node = createNode(anvil.url);
    await node.result('evm_setAutomine', [false]);
    let snapshot = await node.result('evm_snapshot', []);
    return {
      node,
      usdc,
      payers,
      async reset() {
        // Blocks that were taken back leave their transactions to the node's pool: they would pay in the next claims' place.
        await node.result('anvil_dropAllTransactions', []);
        await node.result('evm_revert', [snapshot]);
        snapshot = await node.result('evm_snapshot', []);
        await node.setClock();
        await node.result('anvil_mine', [BLOCKS_BEFORE]);
        const path = join(emptied(inUse), 'gigclaim.db');
        copyFileSync(prepared, path);
        return path;
      },
      copiesFolder() {
        copyFileSync(prepared, join(emptied(copies), '0.db'));
        return copies;
      },
      countCopies: () => readdirSync(copies).filter((name) => name.endsWith('.db')).length - 1,
      restore(path, copy) {
        removeDatabase(path);
        copyFileSync(join(copies, `${copy}.db`), path);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
