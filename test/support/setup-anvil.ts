import type { TestProject } from 'vitest/node';
import { startAnvil } from '../../sandbox/anvil.ts';
import { createLocalChain } from '../../sandbox/chain.ts';
import { MNEMONIC } from '../../sandbox/people.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The HTTP endpoint of the node that all tests of a project share; chain id 31337. */
    anvilUrl: string;
  }
}

/** Starts a node with the payer contracts, for whom blocks by others would disturb. */
export async function startPayingAnvil(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const anvil = await startAnvil();
  await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
  return anvil;
}

/** Starts the shared node once for the whole run; the function it returns ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const anvil = await startPayingAnvil();
  project.provide('anvilUrl', anvil.url);
  return anvil.stop;
}
