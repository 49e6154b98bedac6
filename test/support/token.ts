import { concatHex, encodeAbiParameters, type Hex, numberToHex, size } from 'viem';
import type { Address } from '../../src/domain/gigs/token.ts';

function word(hex: Hex): string {
  return hex.slice(2).padStart(64, '0');
}

/** Runtime code that answers every call with one word: PUSH32 word, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
export function answeringWord(value: Hex): Hex {
  return `0x7f${word(value)}5f5260205ff3`;
}

/**
 * Runtime code of a token that answers a balance of 1 for one in sixteen addresses, and 0 for the others: PUSH1 4,
 * CALLDATALOAD, PUSH1 15, AND, ISZERO, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
 */
export const LYING_AT_TIMES: Hex = '0x600435600f16155f5260205ff3';

/** Runtime code that reverts every call: PUSH0, PUSH0, REVERT. */
export const REVERTING: Hex = '0x5f5ffd';

/** Runtime code that answers every call with nothing: STOP. */
export const SILENT: Hex = '0x00';

/**
 * Runtime code of a token older than the standard: `decimals()` (selector 0x313ce567) answers a number, every other
 * call one zero-padded text word.
 *
 *     PUSH0 CALLDATALOAD PUSH1 0xe0 SHR  PUSH4 0x313ce567 EQ  PUSH1 0x35 JUMPI
 *     PUSH32 text PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
 *     JUMPDEST(0x35) PUSH32 decimals PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
 */
export function oldToken(token: { text: Hex; decimals: bigint }): Hex {
  const text = token.text.slice(2).padEnd(64, '0');
  const decimals = token.decimals.toString(16).padStart(64, '0');
  const dispatch = '5f3560e01c63313ce56714603557';
  return `0x${dispatch}7f${text}5f5260205ff35b7f${decimals}5f5260205ff3`;
}

const SELECTORS = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  balanceOf: '0x70a08231',
} as const;

/** A text as a contract answers it by the ABI. */
export function textAnswer(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text]);
}

/**
 * Runtime code of a contract that answers the questions asked of a token with these bytes, that nobody holds any of it,
 * and reverts all others.
 *
 *     PUSH0 CALLDATALOAD PUSH1 0xe0 SHR
 *     for each answer: DUP1 PUSH4 selector EQ PUSH3 block JUMPI
 *     PUSH0 PUSH0 REVERT
 *     for each answer: JUMPDEST PUSH3 length PUSH3 offset PUSH0 CODECOPY PUSH3 length PUSH0 RETURN
 *     the answers
 */
export function speakingToken(answers: Partial<Record<keyof typeof SELECTORS, Hex>>): Hex {
  const given = Object.entries({ balanceOf: numberToHex(0, { size: 32 }), ...answers }).map(([name, data]) => ({
    // The type of `answers` names no other.
    selector: SELECTORS[name as keyof typeof SELECTORS],
    data,
  }));
  const word = (value: number) => numberToHex(value, { size: 3 });
  const blocks = 8 + 12 * given.length;
  let offset = blocks + 17 * given.length;
  const dispatch: Hex[] = [];
  const copies: Hex[] = [];
  for (const [index, { selector, data }] of given.entries()) {
    const length = word(size(data));
    dispatch.push(concatHex(['0x8063', selector, '0x1462', word(blocks + 17 * index), '0x57']));
    copies.push(concatHex(['0x5b62', length, '0x62', word(offset), '0x5f3962', length, '0x5ff3']));
    offset += size(data);
  }
  return concatHex(['0x5f3560e01c', ...dispatch, REVERTING, ...copies, ...given.map(({ data }) => data)]);
}

/**
 * Runtime code of a token that asks another one, but for `balanceOf`: it answers the lowest bit of a hash, of the address
 * that it is asked about and of the hash of the block before. Nobody can tell before what it will answer.
 *
 *     PUSH0 CALLDATALOAD PUSH1 0xe0 SHR PUSH4 balanceOf EQ PUSH1 0x35 JUMPI
 *     CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY
 *     PUSH0 PUSH0 CALLDATASIZE PUSH0 PUSH20 other GAS STATICCALL POP
 *     RETURNDATASIZE PUSH0 PUSH0 RETURNDATACOPY RETURNDATASIZE PUSH0 RETURN
 *     JUMPDEST(0x35) PUSH1 1 NUMBER SUB BLOCKHASH PUSH0 MSTORE PUSH1 4 CALLDATALOAD PUSH1 32 MSTORE
 *     PUSH1 64 PUSH0 KECCAK256 PUSH1 1 AND PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
 */
export function tokenByBlockHash(other: Address): Hex {
  const dispatch = `5f3560e01c63${SELECTORS.balanceOf.slice(2)}14603557`;
  const ask = `365f5f375f5f365f73${other.slice(2)}5afa503d5f5f3e3d5ff3`;
  return `0x${dispatch}${ask}5b60014303405f5260043560205260405f206001165f5260205ff3`;
}
