import { formatAmount } from '../../../domain/amount.ts';
import type { Chain } from '../../../domain/chains/chain.ts';
import { type Address, checksummed } from '../../../domain/gigs/token.ts';
import { TRANSFERS_IN_RESERVE } from '../../../domain/payments/payment-limits.ts';
import { defineCondition } from './define-condition.ts';

/** The gas tank at `address` holds less than a reserve of payments costs now. Amounts in wei. */
export const gasTankLow = defineCondition({
  kind: 'gas_tank_low',
  reach: 'part',
  say: (
    { key, id, name, nativeCurrency: { symbol, decimals } }: Chain,
    { address, balance, reserve }: { address: Address; balance: bigint; reserve: bigint },
  ) => {
    const shown = checksummed(address);
    const [held, needed] = [balance, reserve].map((wei) => `${formatAmount(wei, decimals)} ${symbol}`);
    return {
      subject: key,
      text: `The gas tank on ${name} is low: ${shown} holds ${held}, less than the ${needed} that ${TRANSFERS_IN_RESERVE} transfers of a token cost now`,
      remedy: `Send ${symbol} on ${name} (chain id ${id}) to ${shown}: it pays the gas of all payments.`,
    };
  },
  find({ gasTank }, tell) {
    if (gasTank === null) return [];
    const { address } = gasTank;
    return gasTank.standings().map(({ chain, level }) => {
      if (level === null) return { unknownOf: chain.key };
      return level.low && tell(chain, { address, ...level });
    });
  },
});
