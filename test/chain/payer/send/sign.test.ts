import { expect, inject, test } from 'vitest';
import { freshAddress } from '../../../support/anvil.ts';
import { openPayments } from '../../../support/payer-chain.ts';
import { openProxy } from '../../../support/proxies.ts';

test('security: nothing is signed at an endpoint that has come to serve another chain since it was asked', async () => {
  let chainId: string | null = null;
  const proxy = await openProxy(inject('anvilUrl'), ({ method }) =>
    method === 'eth_chainId' && chainId !== null ? { result: chainId } : undefined,
  );
  const { behind, call } = await openPayments();
  const payer = behind(proxy.url);
  const to = freshAddress();
  const calls = [{ ...call(1, { token: to, to, amount: 7n, numbers: [0n] }), gas: 100_000n }];
  const fees = await payer.fees();
  await payer.sign({ calls, nonce: 0, fees });
  chainId = '0x1';
  await expect(payer.sign({ calls, nonce: 0, fees })).rejects.toMatchObject({ name: 'AdapterError' });
});
