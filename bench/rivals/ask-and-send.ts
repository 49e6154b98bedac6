import { createWriters } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { type Chain, chainById } from '../../src/domain/chain.ts';
import { race, raceOptions } from './race.ts';

/**
 * The limit of whoever pays safely: asks the chain what the service asks before and after each transfer, through the
 * service's own client, and keeps nothing on disk.
 */
const options = raceOptions();
const { url, mnemonic, token, recipient } = options;
const wallets = createWallets(mnemonic);
// anvil is one of the chains that the service knows.
const chain = chainById(31337) as Chain;
const writer = createWriters({ endpoints: [{ chain, rpcUrl: url }], clock: Date.now, wallets }).writer(chain.id);

await race(options, async (wallet) => {
  const from = wallets.gigAddress(wallet);
  const call = { from, token: { address: token, isNative: false }, to: recipient, amount: 1n };
  const { latest: nonce } = await writer.spentNonces(from);
  const [{ gas }, fees] = await Promise.all([writer.simulateTransfer(call), writer.fees()]);
  if ((await writer.nativeBalance(from)) < gas * fees.maxFeePerGas) throw new Error(`wallet ${wallet} is out of gas`);
  const { hash, raw } = await writer.sign(wallet, { ...call, ...fees, nonce, gas });
  await writer.broadcast(raw);
  while (!(await writer.inclusion({ hashes: [hash], call }))?.final);
});
