import { decodeErrorResult, type Hex, parseAbi, size } from 'viem';
import { cleanText } from '../../domain/gigs/token-text.ts';
import { REASON } from '../../domain/payments/reasons.ts';
import { firstBytes, isBytes } from '../rpc/bytes.ts';

const MAX_REASON = 120;
/** The length of a selector. */
const MIN_ERROR_BYTES = 4;

/** Solidity's own, and those that tokens share: ERC-6093 and OpenZeppelin's pause. */
const KNOWN_ERRORS = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error EnforcedPause()',
]);

/**
 * The bytes of a revert, cut when they are very many; null when the node sends none. Geth sends them alone; Parity's
 * descendants put a word before them, and some nodes nest them once.
 */
export function revertBytes(data: unknown): Hex | null {
  const bytes = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (typeof bytes !== 'string') return null;
  // Cut before an expression reads all of it, and with a bounded word: V8 has thrown a RangeError where it had no bound.
  const hex = firstBytes(bytes.replace(/^\w{1,40} (?=0x)/, ''));
  return isBytes(hex) ? hex : null;
}

function decoded(bytes: Hex): string {
  if (size(bytes) < MIN_ERROR_BYTES) return '';
  try {
    const { errorName, args } = decodeErrorResult({ abi: KNOWN_ERRORS, data: bytes });
    if (errorName === 'Error') return args[0];
    if (errorName === 'Panic') return `panic 0x${args[0].toString(16).padStart(2, '0')}`;
    return errorName;
  } catch {
    // An unknown error, or one with a wrong encoding.
    return `custom error ${bytes.slice(0, 10)}`;
  }
}

/** For nodes that send no revert data. */
function reasonInText(text: string): string {
  return text.replace(/^.*?execution reverted:?/is, '');
}

/** The reason why a contract reverted, sanitized: its message, or the name or selector of its error. */
export function revertReason(answer: { text: string; data: unknown }): string {
  const bytes = revertBytes(answer.data);
  const reason = bytes === null ? reasonInText(answer.text) : decoded(bytes);
  return cleanText(reason, MAX_REASON) || REASON.noneGiven;
}
