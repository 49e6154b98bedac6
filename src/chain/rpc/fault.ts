import { AdapterError, type AdapterFault, type FaultKind } from '../../domain/errors.ts';
import { cleanText } from '../../domain/gigs/token-text.ts';
import { BroadcastRefused } from '../../domain/payments/payer-chain.ts';
import type { AnswerBasis } from '../../domain/platforms/odd-answer.ts';
import { areKnown } from '../evm/node-words.ts';
import { revertBytes } from '../evm/revert.ts';
import { AnswerTooLong } from './connections.ts';

const MAX_CAUSE_LENGTH = 300;
/** How many characters of an endpoint's own words are shown. */
const MOST_WORDS = 160;
/** How many are read: patterns would look through megabytes for seconds. */
const MOST_READ = 10_000;
const TOO_LARGE = 413;

/** EIP-1474 limit, QuickNode's, Base's and Arbitrum's own, and gateways that put the HTTP status into the body. */
const RATE_LIMIT_CODES: readonly number[] = [-32005, -32007, -32016, -32029, 429];
/** JSON-RPC 2.0 and EIP-1474 codes of a request that this endpoint does not accept. */
const REFUSAL_CODES: readonly number[] = [-32700, -32600, -32601, -32602, -32004, -32006, 4100, 4200];
const RATE_LIMIT_WORDS = /rate.?limit|too many requests|limit (reached|exceeded)|over capacity/i;
/** A load balancer may send the second request to a node that has not seen the block yet, or what was paid in it. */
const LAGGING_NODE_WORDS =
  /header not found|unknown block|block not found|out of ?range|missing trie node|state.{0,100}not available|older than \d+ blocks|exceeds account balance/i;
/** How nodes refuse blocks that they do not have yet; nobody asks for a range that ends before it begins. */
const BEYOND_HEAD = /beyond (the )?(current )?head|^invalid block range( params)?$/i;
/** Geth and its descendants answer a revert with 3, Parity's descendants with -32015, which gateways use for a time-out. */
const EXECUTION_CODES: readonly number[] = [3, -32015];
const EXECUTION_WORDS =
  /revert|vm execution error|evm error|invalid opcode|invalid jump|out of gas|stack (under|over)flow/i;

/** Both run the transaction on a copy of the state, so both report reverts. */
const SIMULATIONS: readonly string[] = ['eth_call', 'eth_estimateGas'];

interface RpcError {
  readonly code: number;
  readonly text: string;
  readonly data: unknown;
}

/** No whole answer arrived. */
export class Unreached extends Error {
  override readonly name = 'Unreached';
}

/** This endpoint lacks something that was asked of it; another one of the same chain may have it. */
export class EndpointUnfit extends AdapterError {}

/** This endpoint took a transaction, and does not know it. */
export class EndpointForgetful extends AdapterError {}

/** The endpoint serves another chain. */
export class OtherChain extends AdapterError {}

export class RpcFault extends AdapterError {
  /** JSON-RPC's own, 0 when there was none. */
  readonly code: number;
  /** The endpoint's message, without any part of its URL. */
  readonly text: string;
  /** The error's data; for a revert, the contract's answer. */
  readonly data: unknown;
  /** Whether a node says it, as far as status and code tell: what gateways say of themselves decides no payment. */
  readonly isOfNode: boolean;
  /** Whether it says that a contract ended a simulation, not that the endpoint failed. */
  readonly reverted: boolean;
  /** What tells its meaning; null when nothing does, and it is treated as errors are that say nothing. */
  readonly basis: AnswerBasis | null;

  constructor(fault: AdapterFault, error: RpcError & { reverted: boolean; basis: AnswerBasis | null }) {
    super(fault);
    this.isOfNode = fault.status === undefined && !isLimit(error.code);
    this.reverted = error.reverted;
    this.basis = error.basis;
    this.code = error.code;
    this.text = error.text;
    this.data = error.data;
  }
}

/** Whether a status says that the way to the node has failed: words and codes in such an answer are no node's. */
export function isOfWay(status: number | undefined): boolean {
  return status !== undefined && (status === 408 || status === 429 || status >= 500);
}

function isGood(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status <= 299;
}

function isBad(status: number | undefined): status is number {
  return status !== undefined && !isGood(status);
}

/** Whether a code means a limit of requests, so that the text beside it may be a gateway's. */
export function isLimit(code: number): boolean {
  return RATE_LIMIT_CODES.includes(code);
}

/** Whether words mean that the node lacks the last of the blocks it was asked for. */
export function isBeyondHead(text: string): boolean {
  return BEYOND_HEAD.test(text);
}

function isRevert({ code, text, data }: RpcError, method: string): boolean {
  if (!SIMULATIONS.includes(method) || isLimit(code)) return false;
  const hasData = (revertBytes(data) ?? '0x') !== '0x';
  return EXECUTION_WORDS.test(text) || (EXECUTION_CODES.includes(code) && hasData);
}

/** How to treat an HTTP status of the endpoint. */
export function kindOfStatus(status: number): FaultKind {
  if (status === 429) return { retry: 'safe', reason: 'rate_limited' };
  if (status === 401) return { retry: 'never', reason: 'unauthorized' };
  if (status === 402) return { retry: 'never', reason: 'payment_required' };
  if (status === 403) return { retry: 'never', reason: 'forbidden' };
  if (status === 408) return { retry: 'safe', reason: 'timeout' };
  if (status >= 500) return { retry: 'safe', reason: 'server_error' };
  return { retry: 'never', reason: 'rejected' };
}

function kindOfCode({ code, text }: RpcError, status: number | undefined): FaultKind {
  if (status !== undefined && isOfWay(status)) return kindOfStatus(status);
  if (isLimit(code) || RATE_LIMIT_WORDS.test(text)) {
    return { retry: 'safe', reason: 'rate_limited' };
  }
  if (LAGGING_NODE_WORDS.test(text) || isBeyondHead(text)) return { retry: 'safe', reason: 'server_error' };
  if (REFUSAL_CODES.includes(code) || code === TOO_LARGE) return { retry: 'never', reason: 'rejected' };
  return { retry: 'safe', reason: 'server_error' };
}

/** What tells the meaning of an error that is no revert, as {@link kindOfCode} and what reads it later look at it. */
function basisOf({ code, text }: RpcError, { method, status }: FaultContext): AnswerBasis | null {
  if (status !== undefined && isOfWay(status)) return 'status';
  if (isLimit(code)) return 'type';
  if (RATE_LIMIT_WORDS.test(text) || LAGGING_NODE_WORDS.test(text) || isBeyondHead(text)) return 'words';
  if (areKnown(text, method)) return 'words';
  return REFUSAL_CODES.includes(code) || code === TOO_LARGE ? 'type' : null;
}

function chainOfCauses(error: unknown): Error[] {
  const errors: Error[] = [];
  for (let next = error; next instanceof Error && errors.length < 6; next = next.cause) errors.push(next);
  return errors;
}

function wordsOf(error: Error): string[] {
  return [error.message, ...('code' in error && typeof error.code === 'string' ? [error.code] : [])];
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[endpoint]'), text);
}

/** Leaves out the endpoint's URL, the request and the response. */
function plainCause(error: unknown, secrets: readonly string[]): Error {
  const words = chainOfCauses(error).flatMap(wordsOf);
  const text = (words.length === 0 ? [String(error)] : [...new Set(words)]).join(': ');
  return new Error(withoutSecrets(text, secrets).slice(0, MAX_CAUSE_LENGTH));
}

/** A request to an endpoint. */
export interface FaultContext {
  readonly chainKey: string;
  readonly method: string;
  /** What must appear in no message and no cause. */
  readonly secrets: readonly string[];
  /** The HTTP status of the answer; undefined when none arrived. */
  readonly status: number | undefined;
}

/** Some errors have no code, or a form of their own. */
function readRpcError(error: unknown): RpcError {
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error) {
    const { code, message } = error;
    const data = 'data' in error ? error.data : undefined;
    if (typeof code === 'number' && typeof message === 'string') return { code, text: message, data };
  }
  return { code: 0, text: JSON.stringify(error), data: undefined };
}

function toRpcFault(error: unknown, { chainKey, method, secrets, status }: FaultContext): RpcFault {
  const said = readRpcError(error);
  // Cut last: a part of a secret would not be found.
  const text = withoutSecrets(said.text, secrets).slice(0, MOST_READ);
  const rpc = { ...said, text };
  const shown = rpc.code === 0 ? '' : ` ${rpc.code}`;
  const message = `chain ${chainKey}: the endpoint answered ${method} with error${shown}`;
  // Checked first, because a contract chooses the text of its revert.
  const reverted = isGood(status) && isRevert(rpc, method);
  const kind: FaultKind = reverted ? { retry: 'never', reason: 'bad_response' } : kindOfCode(rpc, status);
  const cause = new Error(text.slice(0, MAX_CAUSE_LENGTH));
  const words = cleanText(text, MOST_WORDS) || undefined;
  const failed = isGood(status) ? {} : { status };
  const basis = reverted ? 'type' : basisOf(rpc, { chainKey, method, secrets, status });
  return new RpcFault({ ...kind, ...failed, message, words, cause }, { ...rpc, reverted, basis });
}

/** The result in the body of an answer. @throws AdapterError when it holds none; RpcFault when it holds an error */
export function readResult(answer: unknown, context: FaultContext): unknown {
  const isObject = typeof answer === 'object' && answer !== null;
  if (isObject && 'error' in answer && answer.error) throw toRpcFault(answer.error, context);
  if (!isObject || !('result' in answer)) throw new Error('neither a result nor an error');
  return answer.result;
}

/**
 * The results in the answer to a batch whose requests have their places as ids, in the order of the requests; an error in
 * place of each that has none.
 * @throws AdapterError when the batch as a whole was refused
 */
export function readResults(answer: unknown, methods: readonly string[], context: FaultContext): unknown[] {
  if (!Array.isArray(answer)) {
    readResult(answer, context);
    throw new Error('no list of answers');
  }
  const byId = new Map<unknown, unknown>();
  for (const item of answer as unknown[]) {
    if (typeof item !== 'object' || item === null || !('id' in item)) continue;
    // Which of two answers is right cannot be told.
    byId.set(item.id, byId.has(item.id) ? undefined : item);
  }
  return methods.map((method, id) => {
    try {
      return readResult(byId.get(id), { ...context, method });
    } catch (error) {
      return toFault(error, { ...context, method });
    }
  });
}

function kindOf(error: unknown, { method, status }: FaultContext): FaultKind & { what: string } {
  if (error instanceof AnswerTooLong) {
    return { retry: 'never', reason: 'bad_response', what: `answered ${method} with too much data` };
  }
  if (isBad(status)) {
    return { ...kindOfStatus(status), what: `answered ${method} with HTTP status ${status}` };
  }
  if (error instanceof Unreached) {
    return { retry: 'safe', reason: 'unreachable', what: `could not be reached for ${method}` };
  }
  const what =
    error instanceof SyntaxError ? `did not answer ${method} with JSON` : `did not answer ${method} in JSON-RPC`;
  return { retry: 'safe', reason: 'bad_response', what };
}

/** Whether an answer with this status, which holds no JSON-RPC, tells by it alone what it means. */
export function isPlainStatus(status: number): boolean {
  return isOfWay(status) || [401, 402, 403, TOO_LARGE].includes(status);
}

/** Turns an error of a request to an endpoint into an AdapterError that names the chain and never the endpoint. */
export function toFault(error: unknown, context: FaultContext): AdapterError {
  const own = chainOfCauses(error).find((cause) => cause instanceof AdapterError);
  if (own !== undefined) return own;
  // A gateway that finds a request too long says so in the node's place.
  if (context.status === TOO_LARGE)
    return toRpcFault({ code: TOO_LARGE, message: 'HTTP status 413: request too large' }, context);
  const { what, ...kind } = kindOf(error, context);
  const cause = plainCause(error, context.secrets);
  const fault = { ...kind, message: `chain ${context.chainKey}: the endpoint ${what}`, cause };
  // No node has said it: a gateway may be set up wrongly, or have lost its node.
  return isBad(context.status) ? new EndpointUnfit(fault) : new AdapterError(fault);
}

/** Reasons by which an endpoint fails, whatever it was asked. */
const FAILING: readonly string[] = [
  'unreachable',
  'timeout',
  'rate_limited',
  'unauthorized',
  'payment_required',
  'forbidden',
  'server_error',
];

/**
 * Whether an error is the endpoint's, so that another one of the same chain may do better: not what contracts answer, and
 * not what it has against signed bytes.
 */
export function isOfEndpoint(error: unknown): error is AdapterError {
  if (!(error instanceof AdapterError) || error instanceof BroadcastRefused) return false;
  if (error instanceof RpcFault) return !error.reverted;
  if (error instanceof EndpointUnfit || error instanceof OtherChain) return true;
  return error.retry !== 'never' || FAILING.includes(error.reason);
}
