import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAnvil } from '../../../sandbox/anvil.ts';
import { anvilClients } from '../../support/anvil.ts';
import { folderOfTest } from '../../support/test-life.ts';

/** More blocks than a node keeps the states of in memory. */
const BLOCKS = 2_000;

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

/** Where nodes that the test starts write. */
function folderForNodes(): string {
  const folder = folderOfTest();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test('behavior: a node that was stopped leaves nothing of its old states on the disk', async () => {
  const folder = folderForNodes();
  const itsOwnPlace = join(homedir(), '.foundry', 'anvil', 'tmp');
  const before = filesIn(itsOwnPlace);
  const anvil = await startAnvil();
  onTestFinished(anvil.stop);

  await anvilClients(anvil.url).test.mine({ blocks: BLOCKS });
  expect(filesIn(folder).length).toBeGreaterThan(100);
  await anvil.stop();

  expect(filesIn(folder)).toEqual([]);
  expect(filesIn(itsOwnPlace)).toEqual(before);
});

test('behavior: a node that keeps few states writes none of them to the disk, and still knows the newest', async () => {
  const folder = folderForNodes();
  const anvil = await startAnvil({ keptStates: 16 });
  onTestFinished(anvil.stop);
  const { test: node, public: reader } = anvilClients(anvil.url);

  await node.mine({ blocks: BLOCKS });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

  expect(files).toEqual([]);
  const address = `0x${'11'.repeat(20)}` as const;
  expect(await reader.getBalance({ address, blockNumber: BigInt(BLOCKS - 5) })).toBe(0n);
  await expect(reader.getBalance({ address, blockNumber: 1n })).rejects.toThrow();
});
