import { parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { anvilClients, startAnvil } from '../../support/anvil.ts';
import { desk, useDesk } from '../admin.ts';

/** The first account of anvil's own mnemonic, which the sandbox uses for its gas tank. */
export const TANK = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const MNEMONIC = 'test test test test test test test test test test test junk';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly mark: string;
  readonly detail: string;
  readonly remedy: string;
}

interface Report {
  readonly checks: readonly Check[];
  readonly gas_tank: { readonly address: string | null; readonly balances: readonly object[] };
}

/** The chain of the tests of a file that uses {@link useDoctor}. */
export let anvil: AnvilProcess;

/** Gives the tests of a file a chain, and each of them a desk with a gas tank that holds enough. */
export function useDoctor(): void {
  beforeAll(async () => {
    anvil = await startAnvil();
    await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
  });
  afterAll(() => anvil.stop());
  useDesk(() => ({ RPC_URL_31337: anvil.url, GIG_WALLET_MNEMONIC: MNEMONIC }));
  beforeEach(() => anvilClients(anvil.url).test.setBalance({ address: TANK, value: parseEther('1.5') }));
}

/** What doctor says at the desk, and how it ended. */
export async function doctor(env: Record<string, string> = {}, options: Parameters<typeof desk.admin>[1] = {}) {
  const { code, out, err } = await desk.admin(['doctor', '--json'], { env, ...options });
  const report: Report = JSON.parse(out);
  return {
    code,
    out,
    err,
    report,
    check: (name: string) => report.checks.find((each) => each.name === name),
    /** The checks that failed, by name, with what they say. */
    failed: Object.fromEntries(report.checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail])),
  };
}

/** What one check says; undefined where there is none. */
export async function checkOf(name: string, env: Record<string, string> = {}): Promise<Check | undefined> {
  return (await doctor(env)).check(name);
}
