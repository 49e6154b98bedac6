import { createPublicClient, createWalletClient, type Hash, http, type LocalAccount } from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';
import { transferData } from '../erc20.ts';
import { minedReceipt } from '../receipt.ts';
import { StepError } from '../step-error.ts';

/** What a payment link of EIP-681 asks for: wei, or base units of a token. */
interface AskedPayment {
  readonly token: Address | null;
  readonly to: Address;
  readonly amount: bigint;
}

const NATIVE = /^ethereum:0x([0-9a-fA-F]{40})@[0-9]+\?value=([0-9]+)$/;
const TOKEN = /^ethereum:0x([0-9a-fA-F]{40})@[0-9]+\/transfer\?address=0x([0-9a-fA-F]{40})&uint256=([0-9]+)$/;

function readLink(link: string): AskedPayment {
  const [, to, value] = NATIVE.exec(link) ?? [];
  if (to !== undefined && value !== undefined) return { token: null, to: `0x${to}`, amount: BigInt(value) };
  const [, token, recipient, units] = TOKEN.exec(link) ?? [];
  if (token === undefined || recipient === undefined || units === undefined) {
    throw new StepError(`A wallet cannot read the payment link ${JSON.stringify(link)}.`);
  }
  return { token: `0x${token}`, to: `0x${recipient}`, amount: BigInt(units) };
}

/**
 * Pays what a link asks for, as a wallet that opens it does, and waits for the block.
 * @param options.url of the node
 * @throws StepError for what is no such link
 * @throws Error when the node refuses the transaction
 */
export async function payLink(link: string, { url, from }: { url: string; from: LocalAccount }): Promise<Hash> {
  const { token, to, amount } = readLink(link);
  const transport = http(url);
  const wallet = createWalletClient({ account: from, transport });
  const hash =
    token === null
      ? await wallet.sendTransaction({ to, value: amount, chain: null })
      : await wallet.sendTransaction({ to: token, data: transferData({ to, amount }), chain: null });
  const { status } = await minedReceipt(createPublicClient({ transport }), hash);
  if (status !== 'success') throw new StepError(`The wallet’s transaction ${hash} was reverted.`);
  return hash;
}
