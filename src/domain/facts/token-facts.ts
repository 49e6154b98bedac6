import { chainById } from '../chains/chain.ts';
import type { Token } from '../gigs/token.ts';
import { type Fact, fact } from './fact.ts';

export const TOKEN_FACTS: readonly Fact<Token>[] = [
  fact('symbol', ({ symbol }) => ({ foreign: symbol }), { json: 'symbol' }),
  fact('chain', ({ chainId }) => chainById(chainId)?.key ?? String(chainId), { json: 'chain' }),
  fact('address', ({ address }) => ({ address }), { json: 'address' }),
  fact('decimals', ({ decimals }) => String(decimals), { json: ({ decimals }) => ({ decimals }) }),
  fact('name', ({ name }) => ({ foreign: name }), { json: 'name' }),
];
