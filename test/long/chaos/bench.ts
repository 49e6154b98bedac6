import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startAnvil } from '../../../sandbox/anvil.ts';
import type { Address } from '../../../src/domain/token.ts';
import { temporaryFolder } from '../../support/store.ts';
import { createNode, type Node } from './node.ts';
import { type Payers, prepare } from './scenario.ts';

/** A node and a database of one's own, both as they were before the claims were made. */
export interface Bench {
  readonly node: Node;
  readonly usdc: Address;
  readonly payers: Payers;
  /** Puts the chain back and answers a fresh copy of the database. */
  reset(): Promise<string>;
  close(): Promise<void>;
}

/** Starts a node and prepares it and a database. */
export async function openBench(): Promise<Bench> {
  const anvil = await startAnvil();
  const folder = temporaryFolder();
  async function close(): Promise<void> {
    await anvil.stop();
    folder.remove();
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
        await node.result('evm_revert', [snapshot]);
        snapshot = await node.result('evm_snapshot', []);
        const path = join(folder.path, 'gigclaim.db');
        for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(path + suffix, { force: true });
        copyFileSync(prepared, path);
        return path;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
