import { randomBytes } from 'node:crypto';
import { bytesToHex, type Hex, numberToHex, toFunctionSelector } from 'viem';
import type { BlockId, BlockRef } from '../../../domain/chains/block.ts';
import { type Chain, MOST_HOLDERS, type TokenAnswer, type TokenOddity } from '../../../domain/chains/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { Address } from '../../../domain/gigs/token.ts';
import { readHead, requireBlock, requireSame } from '../../payer/read/blocks.ts';
import type { RpcSession } from '../../rpc/endpoint.ts';
import { multicallCode, readMulticall } from './multicall.ts';

const BALANCE_OF = toFunctionSelector('balanceOf(address)');
const TOTAL_SUPPLY = toFunctionSelector('totalSupply()');

/** What tokens answer that count shares and so change balances by themselves: stETH, aTokens, Ampleforth, OUSD, eETH, sOHM. */
const REBASE_SIGNS = [
  'sharesOf(address)',
  'scaledBalanceOf(address)',
  'rebasingCreditsPerToken()',
  'creditsBalanceOf(address)',
  'getSharesByPooledEth(uint256)',
  'shares(address)',
  'gonsForBalance(uint256)',
].map((signature) => toFunctionSelector(signature));

/** Nobody has the key of a random address: it holds nothing. */
const CANARIES = 3;

interface HoldingsRead {
  readonly chain: Chain;
  readonly token: Address;
  readonly owners: readonly Address[];
  readonly block?: BlockId | undefined;
}

/** What is wrong with what a token says; null when nothing is seen to be. */
function oddityOf(told: {
  canaries: readonly (bigint | null)[];
  supply: bigint | null;
  signs: readonly (bigint | null)[];
  held: ReadonlyMap<Address, bigint | null>;
}): TokenOddity | null {
  const { canaries, supply, signs, held } = told;
  if (supply === null || canaries.includes(null)) return 'reverts';
  if (canaries.some((amount) => amount !== 0n)) return 'lies';
  if (signs.some((answer) => answer !== null)) return 'rebases';
  const sum = [...held.values()].reduce<bigint>((all, amount) => all + (amount ?? 0n), 0n);
  return sum > supply ? 'lies' : null;
}

async function blockOf(rpc: RpcSession, { chain, block }: HoldingsRead): Promise<BlockRef> {
  if (block === undefined) return (await readHead(rpc, chain)).settled;
  return await requireBlock(rpc, numberToHex(block.number), chain.key);
}

/** What a token says about addresses in one block, by one call. @throws AdapterError also when the block was replaced meanwhile */
export async function readHoldings(rpc: RpcSession, query: HoldingsRead): Promise<TokenAnswer> {
  const { chain, token, owners } = query;
  if (owners.length > MOST_HOLDERS) throw new RangeError(`a token is asked about at most ${MOST_HOLDERS} addresses`);
  const block = await blockOf(rpc, query);
  requireSame(block, query.block ?? block, chain);
  const asOwner = (word: Hex) => ({ selector: BALANCE_OF, word });
  const calls = [
    ...Array.from({ length: CANARIES }, () => asOwner(bytesToHex(randomBytes(20)))),
    { selector: TOTAL_SUPPLY },
    ...REBASE_SIGNS.map((selector) => ({ selector, word: numberToHex(1) })),
    ...owners.map(asOwner),
  ];
  const tag = numberToHex(block.number);
  const data = await rpc.data({ method: 'eth_call', params: [{ data: multicallCode(token, calls) }, tag] });
  requireSame(await requireBlock(rpc, tag, chain.key), block, chain);
  const answers = readAnswers(data, calls.length, chain);
  const amounts = answers.slice(CANARIES + 1 + REBASE_SIGNS.length);
  const oddity = oddityOf({
    canaries: answers.slice(0, CANARIES),
    supply: answers[CANARIES] ?? null,
    signs: answers.slice(CANARIES + 1, CANARIES + 1 + REBASE_SIGNS.length),
    held: new Map(owners.map((owner, place) => [owner, amounts[place] ?? null])),
  });
  return { block, amounts, oddity };
}

function readAnswers(data: Hex, count: number, { key }: Chain): (bigint | null)[] {
  try {
    return readMulticall(data, count);
  } catch (cause) {
    const message = `chain ${key}: the endpoint did not run the call that asks a token`;
    throw new AdapterError({ retry: 'safe', reason: 'bad_response', message, cause });
  }
}
