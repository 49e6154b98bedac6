import { type Hex, parseTransaction, size } from 'viem';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CHAINS } from '../../../src/domain/chains/chain.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { account, openBank } from '../../services/payments/sender/bank.ts';
import { placeCode, startAnvil } from '../../support/anvil.ts';
import { openPayments } from '../../support/payer-chain.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';

/** A token that answers everything with true, and does nothing: its transfers cost next to nothing. */
const DOES_NOTHING: Hex = '0x600160005260206000f3';
/** More wallets than fit into one transaction of any chain. */
const WALLETS = 215;
const ALICE = account(1);

/** The limits of the supported chains, each once, with the chains that have them. */
const LIMITS = [...Map.groupBy(CHAINS, ({ txGas, txBytes }) => `${txGas} gas, ${txBytes} bytes`)].flatMap(
  ([title, [chain]]) => (chain === undefined ? [] : [{ title, ...chain }]),
);

describe('a node that takes no transaction above the limits of its chain', () => {
  test.each(LIMITS)('security: is offered none, and pays from every wallet: $title', async ({ txGas, txBytes }) => {
    const anvil = await startAnvil();
    onTestFinished(anvil.stop);
    const offered: { gas: bigint; bytes: number }[] = [];
    const proxy = await serveRpcProxy(anvil.url, ({ method, params }) => {
      if (method !== 'eth_sendRawTransaction') return undefined;
      const [raw] = params as [Hex];
      const sent = { gas: parseTransaction(raw).gas ?? 0n, bytes: size(raw) };
      offered.push(sent);
      if (sent.gas > txGas)
        return Promise.resolve({ error: { code: -32_000, message: 'transaction gas limit too high' } });
      if (sent.bytes > txBytes) return Promise.resolve({ error: { code: -32_000, message: 'oversized data' } });
      return undefined;
    });
    onTestFinished(proxy.close);
    const { behind, wallets } = await openPayments({ url: anvil.url });
    const token = await placeCode(DOES_NOTHING, anvil.url);
    let ahead = 0;
    const bank = await openBank({
      clock: () => Date.now() + ahead,
      payer: behind(proxy.url, { txGas, txBytes }),
      walletAddress: wallets.gigAddress,
      policy: { payments: 250, transfers: 1_000n },
    });
    onTestFinished(bank.close);
    const gigs: Gig[] = [];
    for (let each = 0; each < WALLETS; each += 1) gigs.push(await bank.gig({ token }));
    // What a wallet pays first takes more gas of its own, so that fewer share a transaction than the second time.
    for (const round of [1n, 2n]) {
      for (const gig of gigs) await bank.award(gig, ALICE, round);
      await bank.claim(ALICE);
      for (let rounds = 0; rounds < 200 && (await bank.run()) !== 'done'; rounds += 1) ahead += 1_000;
    }
    const payments = await bank.store.payments({ limit: 1_000 });
    expect(new Set(payments.map(({ state, reason }) => `${state} ${reason}`))).toEqual(new Set(['confirmed null']));
    expect(payments).toHaveLength(2 * WALLETS);
    expect(offered.every(({ gas, bytes }) => gas <= txGas && bytes <= txBytes)).toBe(true);
    // One that is left out of a transaction only because of its limits would have fitted into it otherwise.
    expect(Math.max(...offered.map(({ gas }) => Number(gas)))).toBeGreaterThan(15_900_000);
  });
});
