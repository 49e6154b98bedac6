import { type Chain, chainById } from '../../src/domain/chains/chain.ts';
import type { GasTank } from '../../src/services/payments/gas-tank.ts';

const chain = (id: number) => chainById(id) as Chain; // both are in the list

/** A gas tank that holds about 15 milliether on the local chain, where 20 are its reserve, and has not been seen on Base. */
export const TANK: GasTank = {
  look: async () => undefined,
  address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  standings: () => [
    { chain: chain(31337), level: { balance: 15_123_456_789_000_000n, reserve: 20n * 10n ** 15n, low: true } },
    { chain: chain(8453), level: null },
  ],
};
