import { concatHex, type Hex, numberToHex, padHex, size, sliceHex } from 'viem';
import type { Address } from '../../../domain/gigs/token.ts';

/** The gas of one question: no honest balance takes more, and one that takes all leaves the others theirs. */
const GAS_OF_EACH = 200_000;

const WORD = 32;
const CALL_BYTES = 36;
/** For each call a word that says whether it succeeded with a word of its own, and that word. */
const ANSWER_BYTES = 2 * WORD;

const push = (value: number | bigint, bytes: number): Hex =>
  concatHex([numberToHex(0x5f + bytes, { size: 1 }), numberToHex(value, { size: bytes })]);

/** Where answers begin in memory, behind the call's data and its answer. */
const OUT = 0x80;

/**
 * Code that asks a contract everything that follows it: it runs as if it were being deployed, and is what it answers. Each call gets
 * gas of its own and one word of its answer is read, so that no contract answers for another or takes all.
 */
function codeFor(token: Address, length: number): Hex {
  const head = (from: number, loop: number, end: number): Hex =>
    concatHex([
      // Stack: the place in the code of the next call, the place in memory of its answer.
      push(from, 2),
      push(OUT, 2),
      // loop:
      '0x5b',
      // Past the last call?
      '0x38', // CODESIZE
      '0x82', // DUP3: place
      '0x10', // LT
      '0x15', // ISZERO
      push(end, 2),
      '0x57', // JUMPI
      // codecopy(0, place, 36)
      push(CALL_BYTES, 1),
      '0x82', // DUP3: place
      push(0, 1),
      '0x39', // CODECOPY
      // staticcall(gas, token, 0, 36, 0x40, 32)
      push(WORD, 1),
      push(0x40, 1),
      push(CALL_BYTES, 1),
      push(0, 1),
      push(BigInt(token), 20),
      push(GAS_OF_EACH, 3),
      '0xfa', // STATICCALL
      // ... and returndatasize > 31
      push(WORD - 1, 1),
      '0x3d', // RETURNDATASIZE
      '0x11', // GT
      '0x16', // AND
      // mstore(out, ok)
      '0x80', // DUP1
      '0x82', // DUP3: out
      '0x52', // MSTORE
      // mstore(out + 32, ok * mload(0x40))
      push(0x40, 1),
      '0x51', // MLOAD
      '0x02', // MUL
      '0x81', // DUP2: out
      push(WORD, 1),
      '0x01', // ADD
      '0x52', // MSTORE
      // out += 64, place += 36
      push(ANSWER_BYTES, 1),
      '0x01', // ADD
      '0x90', // SWAP1
      push(CALL_BYTES, 1),
      '0x01', // ADD
      '0x90', // SWAP1
      push(loop, 2),
      '0x56', // JUMP
      // end: return(0x80, out - 0x80)
      '0x5b',
      push(OUT, 2),
      '0x90', // SWAP1
      '0x03', // SUB
      push(OUT, 2),
      '0xf3', // RETURN
    ]);
  const bytes = size(head(0, 0, 0));
  const loop = 6;
  const end = bytes - 10;
  if (bytes + length > 0xffff) throw new RangeError('too much is asked of a token in one call');
  return head(bytes, loop, end);
}

/** Asks a contract, each call being a selector and at most one word. */
export function multicallCode(token: Address, calls: readonly { readonly selector: Hex; readonly word?: Hex }[]): Hex {
  const asked = calls.map(({ selector, word = '0x' }) => concatHex([selector, padHex(word, { size: WORD })]));
  const items = asked.length === 0 ? '0x' : concatHex(asked);
  return concatHex([codeFor(token, size(items)), items]);
}

/** The word that a contract answered to each call; null where it answered none. @throws RangeError when there are not so many answers */
export function readMulticall(data: Hex, calls: number): (bigint | null)[] {
  if (size(data) !== calls * ANSWER_BYTES)
    throw new RangeError('a token answered to fewer questions than it was asked');
  return Array.from({ length: calls }, (_, place) => {
    const at = place * ANSWER_BYTES;
    const isTold = BigInt(sliceHex(data, at, at + WORD)) === 1n;
    return isTold ? BigInt(sliceHex(data, at + WORD, at + ANSWER_BYTES)) : null;
  });
}
