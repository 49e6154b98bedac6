import { expect, onTestFinished, test } from 'vitest';
import { createLocalChain } from '../../sandbox/chain.ts';
import { MNEMONIC } from '../../sandbox/people.ts';
import { findPayer } from '../../src/chain/payer/deploy/deploy.ts';
import { anvilClients, startAnvil } from '../support/anvil.ts';

test('behavior: the sandbox deploys the payer contracts on its chain, and only once', async () => {
  const anvil = await startAnvil();
  onTestFinished(anvil.stop);
  const node = anvilClients(anvil.url).public;
  const states = async () => {
    const found = await findPayer({ code: async (address) => (await node.getCode({ address })) ?? '0x' });
    return found.map(({ state }) => state);
  };
  const chain = createLocalChain({ url: anvil.url, mnemonic: MNEMONIC });
  expect(await states()).toEqual(['absent', 'absent']);
  await chain.deployPayer();
  expect(await states()).toEqual(['deployed', 'deployed']);
  const blocks = await node.getBlockNumber();
  await chain.deployPayer();
  expect(await node.getBlockNumber()).toBe(blocks);
});
