import type { Address } from '../../../domain/gigs/token.ts';
import type { MarkQuery, PayerChain, WalletNumbers } from '../../../domain/payments/payer-chain.ts';
import { bitOf } from '../../../domain/payments/payment-numbers.ts';

/**
 * Reads after a block which of these numbers are marked; answers for them alone.
 * @param areDue whether they are to be: what one endpoint does not have as marked is then asked of the next one
 */
export async function readMarked(
  payer: PayerChain,
  wanted: readonly WalletNumbers[],
  blockNumber: bigint,
  { areDue = true }: { areDue?: boolean } = {},
): Promise<(wallet: Address, number: bigint) => boolean> {
  const keyOf = (wallet: Address, word: bigint) => `${wallet} ${word}`;
  const queries = new Map<string, MarkQuery>();
  for (const { wallet, numbers } of wanted) {
    for (const { word, bits } of numbers.map(bitOf)) {
      const key = keyOf(wallet, word);
      const due = (queries.get(key)?.due ?? 0n) | (areDue ? bits : 0n);
      queries.set(key, { wallet, word, due });
    }
  }
  const words = await payer.marks([...queries.values()], blockNumber);
  const marked = new Map([...queries.keys()].map((key, index) => [key, words[index] ?? 0n]));
  return (wallet, number) => {
    const { word, bits } = bitOf(number);
    return ((marked.get(keyOf(wallet, word)) ?? 0n) & bits) !== 0n;
  };
}
