import type { Hex } from 'viem';

function word(hex: Hex): string {
  return hex.slice(2).padStart(64, '0');
}

/** Runtime code that answers every call with one word: PUSH32 word, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN. */
export function answeringWord(value: Hex): Hex {
  return `0x7f${word(value)}5f5260205ff3`;
}

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
