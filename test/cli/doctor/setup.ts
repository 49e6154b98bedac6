import { parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { anvilClients, startAnvil } from '../../support/anvil.ts';
import { type Desk, openDesk } from '../admin.ts';

/** The first account of anvil's own mnemonic, which the sandbox uses for its gas tank. */
export const TANK = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const MNEMONIC = 'test test test test test test test test test test test junk';

interface Report {
  checks: { name: string; ok: boolean; mark: string; detail: string; remedy: string }[];
  gas_tank: { address: string | null; balances: object[] };
}

/** Those of the test that runs. */
export let anvil: AnvilProcess;
export let desk: Desk;

/** Gives the tests of a file a chain, and each of them a desk with a gas tank that holds enough. */
export function useDoctor(): void {
  beforeAll(async () => {
    anvil = await startAnvil();
    await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
  });
  afterAll(() => anvil.stop());
  beforeEach(async () => {
    desk = await openDesk({ RPC_URL_31337: anvil.url, GIG_WALLET_MNEMONIC: MNEMONIC });
    await anvilClients(anvil.url).test.setBalance({ address: TANK, value: parseEther('1.5') });
  });
  afterEach(() => desk.close());
}

export async function doctor(
  env: Record<string, string> = {},
  options: { clock?: () => number } = {},
): Promise<{ code: number; err: string; report: Report }> {
  const { code, out, err } = await desk.admin(['doctor', '--json'], { env, ...options });
  return { code, err, report: JSON.parse(out) };
}

/** The checks that failed, by name, with what they say. */
export function failed({ checks }: Report): Record<string, string> {
  return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]));
}
