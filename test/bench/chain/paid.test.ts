import { expect, test } from 'vitest';
import { assertPaid } from '../../../bench/checks/paid.ts';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { openAnvil } from '../../support/proxies.ts';

const RECIPIENT = `0x${'00'.repeat(18)}beef` as const;

test('error: a payer of whose payments some have not arrived is named', async () => {
  const anvil = await openAnvil();
  const chain = createLocalChain({ url: anvil.url, mnemonic: MNEMONIC });
  const token = await chain.deploy({ name: 'Bench', symbol: 'BENCH', decimals: 18 });
  await chain.send({ token, to: RECIPIENT, amount: 5n });
  const paid = { url: anvil.url, token: token.address, recipient: RECIPIENT };
  await expect(assertPaid('honest', paid, { amount: 5n })).resolves.toBeUndefined();
  await expect(assertPaid('liar', paid, { amount: 6n, patienceMs: 0 })).rejects.toThrow(
    'liar says that it has paid 6, and 5 have arrived',
  );
});
