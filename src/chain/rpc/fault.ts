import { BaseError, HttpRequestError, ResponseBodyTooLargeError } from 'viem';
import { AdapterError, type AdapterFault } from '../../domain/errors.ts';

type Kind = Pick<AdapterFault, 'retry' | 'reason'>;

const MAX_CAUSE_LENGTH = 300;

/** EIP-1474 limit, QuickNode's, Base's and Arbitrum's own, and gateways that put the HTTP status into the body. */
const RATE_LIMIT_CODES: readonly number[] = [-32005, -32007, -32016, -32029, 429];
/** JSON-RPC 2.0 and EIP-1474 codes that say the request itself is not acceptable to this endpoint. */
const REFUSAL_CODES: readonly number[] = [-32700, -32600, -32601, -32602, -32004, -32006, 4100, 4200];
const RATE_LIMIT_WORDS = /rate.?limit|too many requests|limit (reached|exceeded)|over capacity/i;
/** A balanced endpoint may send the second question to a node that has not seen the block yet. */
const LAGGING_NODE_WORDS =
  /header not found|unknown block|block not found|out of ?range|missing trie node|state.*not available/i;
/** Geth and its descendants answer a revert with 3, Parity's descendants with -32015. */
const EXECUTION_CODES: readonly number[] = [3, -32015];
const EXECUTION_WORDS =
  /revert|vm execution error|evm error|invalid opcode|invalid jump|out of gas|stack (under|over)flow/i;

/** Both run the transaction on a copy of the state, so both answer what the contract did. */
const SIMULATIONS: readonly string[] = ['eth_call', 'eth_estimateGas'];

interface RpcError {
  readonly code: number;
  readonly text: string;
  readonly data: unknown;
}

/** The endpoint answered with a JSON-RPC error. */
export class RpcFault extends AdapterError {
  /** JSON-RPC's own, 0 when there was none. */
  readonly code: number;
  /** What the endpoint said, without anything of its URL. */
  readonly text: string;
  /** Whatever came with it; of a revert, the contract's answer. */
  readonly data: unknown;
  /** Whether it says that a contract ended a simulation, not that the endpoint failed. */
  readonly reverted: boolean;

  constructor(fault: AdapterFault, error: RpcError & { reverted: boolean }) {
    super(fault);
    this.reverted = error.reverted;
    this.code = error.code;
    this.text = error.text;
    this.data = error.data;
  }
}

function isRevert({ code, text }: RpcError, method: string): boolean {
  return SIMULATIONS.includes(method) && (EXECUTION_CODES.includes(code) || EXECUTION_WORDS.test(text));
}

/** How to treat an HTTP status of the endpoint. */
export function kindOfStatus(status: number): Kind {
  if (status === 429) return { retry: 'safe', reason: 'rate_limited' };
  if (status === 401) return { retry: 'never', reason: 'unauthorized' };
  if (status === 402) return { retry: 'never', reason: 'payment_required' };
  if (status === 403) return { retry: 'never', reason: 'forbidden' };
  if (status === 408) return { retry: 'safe', reason: 'timeout' };
  if (status >= 500) return { retry: 'safe', reason: 'server_error' };
  return { retry: 'never', reason: 'rejected' };
}

function kindOfCode({ code, text }: RpcError): Kind {
  if (RATE_LIMIT_CODES.includes(code) || RATE_LIMIT_WORDS.test(text)) {
    return { retry: 'safe', reason: 'rate_limited' };
  }
  if (LAGGING_NODE_WORDS.test(text)) return { retry: 'safe', reason: 'server_error' };
  if (REFUSAL_CODES.includes(code)) return { retry: 'never', reason: 'rejected' };
  return { retry: 'safe', reason: 'server_error' };
}

function chainOfCauses(error: unknown): Error[] {
  const errors: Error[] = [];
  for (let next = error; next instanceof Error && errors.length < 6; next = next.cause) errors.push(next);
  return errors;
}

function wordsOf(error: Error): string[] {
  if (error instanceof BaseError) return [error.shortMessage, `${error.details}`];
  return [error.message, ...('code' in error && typeof error.code === 'string' ? [error.code] : [])];
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[endpoint]'), text);
}

/** A foreign error reduced to its words, without the endpoint's URL, the request or the response. */
function plainCause(error: unknown, secrets: readonly string[]): Error {
  const words = chainOfCauses(error).flatMap(wordsOf);
  const text = (words.length === 0 ? [String(error)] : [...new Set(words)]).join(': ');
  return new Error(withoutSecrets(text, secrets).slice(0, MAX_CAUSE_LENGTH));
}

/** The JSON-RPC error that viem has wrapped, or null. */
function rpcErrorOf(error: unknown): RpcError | null {
  const rpc = chainOfCauses(error).find((cause) => cause.name === 'RpcRequestError');
  if (!(rpc instanceof BaseError)) return null;
  return {
    code: 'code' in rpc && typeof rpc.code === 'number' ? rpc.code : 0,
    text: `${rpc.details}`,
    data: 'data' in rpc ? rpc.data : undefined,
  };
}

function kindOf(error: unknown, method: string): Kind & { what: string } {
  if (error instanceof HttpRequestError && error.status !== undefined) {
    return { ...kindOfStatus(error.status), what: `answered ${method} with HTTP status ${error.status}` };
  }
  if (error instanceof ResponseBodyTooLargeError) {
    return { retry: 'never', reason: 'bad_response', what: `answered ${method} with too much data` };
  }
  if (error instanceof HttpRequestError) {
    return error.cause instanceof SyntaxError
      ? { retry: 'safe', reason: 'bad_response', what: `did not answer ${method} with JSON` }
      : { retry: 'safe', reason: 'unreachable', what: `could not be reached for ${method}` };
  }
  return { retry: 'safe', reason: 'bad_response', what: `did not answer ${method} in JSON-RPC` };
}

/** Turns whatever a request to an endpoint threw into an AdapterError that names the chain and never the endpoint. */
export function toFault(
  error: unknown,
  context: { chainKey: string; method: string; secrets: readonly string[] },
): AdapterError {
  const own = chainOfCauses(error).find((cause) => cause instanceof AdapterError);
  if (own !== undefined) return own;
  const { chainKey, method, secrets } = context;
  const cause = plainCause(error, secrets);
  const rpc = rpcErrorOf(error);
  if (rpc !== null) {
    const shown = rpc.code === 0 ? '' : ` ${rpc.code}`;
    const message = `chain ${chainKey}: the endpoint answered ${method} with error${shown}`;
    // First, because a contract chooses the words of its own revert.
    const reverted = isRevert(rpc, method);
    const kind: Kind = reverted ? { retry: 'never', reason: 'bad_response' } : kindOfCode(rpc);
    return new RpcFault({ ...kind, message, cause }, { ...rpc, text: withoutSecrets(rpc.text, secrets), reverted });
  }
  const { retry, reason, what } = kindOf(error, method);
  return new AdapterError({ retry, reason, message: `chain ${chainKey}: the endpoint ${what}`, cause });
}
