import { formatUnits } from 'viem/utils';

/**
 * An amount of a token in its base units, as exact decimal text for people: `formatAmount(1500000n, 6)` is `1.5`.
 */
export function formatAmount(amount: bigint, decimals: number): string {
  return formatUnits(amount, decimals);
}

/**
 * The nearest float to an amount. Only for the JSON fields that the interface declares as numbers;
 * sum the integers first and convert once.
 */
export function toFloat(amount: bigint, decimals: number): number {
  return Number(formatUnits(amount, decimals));
}
