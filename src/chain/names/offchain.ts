import {
  decodeErrorResult,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  size,
} from 'viem';
import type { Address } from '../../domain/gigs/token.ts';
import type { AskGateway, GatewayQuestion } from '../../domain/names/names.ts';

const LOOKUP = parseAbi([
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);
const LOOKUP_SELECTOR = '0x556f1830';
const BATCH = parseAbi([
  'struct Query { address sender; string[] urls; bytes data; }',
  'function query(Query[] queries) view returns (bool[] failures, bytes[] responses)',
]);
const ERROR = parseAbi(['error Error(string reason)']);

/** Stands in the place of a server's URL for several questions in one, which are asked from here (ENSIP-21). */
export const BATCH_URL = 'x-batch-gateway:true';

/** For all servers of one name: a name chooses how many, and which, and how often its contract asks. */
const MOST = { servers: 8, lookups: 16, urls: 16 };
/** Bytes of one such revert; proofs of other chains take far less. */
const MAX_BYTES = 64 * 1024;
const WORD = 32;
const SELECTOR = 4;

/** A call of a contract. */
export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
}

/** What a contract answers: `isRevert` tells an error from a result. */
export interface ContractAnswer {
  readonly data: Hex;
  readonly isRevert: boolean;
}

/** The number in the word at a byte. @throws SyntaxError behind the end */
function numberAt(data: Hex, byte: number): number {
  return Number(BigInt(`0x${data.slice(2 + 2 * byte, 2 + 2 * (byte + WORD))}`));
}

/**
 * Refuses a list that is long. A contract may have all its items be one and the same bytes: decoded, a list is then thousands of
 * times as long as the answer that holds it.
 * @returns its length @throws RangeError
 */
function requireShort(data: Hex, list: number, most: number): number {
  const length = numberAt(data, list);
  if (length > most) throw new RangeError('a name asks too many servers');
  return length;
}

function readLookup(data: Hex) {
  if (size(data) > MAX_BYTES) throw new RangeError('a name asks its servers too much');
  requireShort(data, SELECTOR + numberAt(data, SELECTOR + WORD), MOST.urls);
  const [sender, urls, callData, callback, extra] = decodeErrorResult({ abi: LOOKUP, data }).args;
  return { sender, urls, callData, callback, extra };
}

function readBatch(data: Hex): readonly GatewayQuestion[] {
  const list = SELECTOR + numberAt(data, SELECTOR);
  const items = list + WORD;
  const count = requireShort(data, list, MOST.servers);
  for (let item = 0; item < count; item += 1) {
    const query = items + numberAt(data, items + item * WORD);
    requireShort(data, query + numberAt(data, query + WORD), MOST.urls);
  }
  return decodeFunctionData({ abi: BATCH, data }).args[0];
}

const NO_ANSWER = encodeErrorResult({ abi: ERROR, errorName: 'Error', args: ['no answer'] });

/** The servers of one name, asked as often as one name may ask. */
export interface NameServers {
  /** Whether one did not answer, or was not asked. */
  hasFailed(): boolean;
  /** @throws an error when it is not answered */
  answer(question: GatewayQuestion): Promise<Hex>;
}

/** Asks the servers of one name until `stop` fires, and no more than a name may have. */
export function createNameServers(askGateway: AskGateway, stop: AbortSignal): NameServers {
  const used = { servers: 0, lookups: 0 };
  let hasFailed = false;

  function count(what: keyof typeof used): void {
    used[what] += 1;
    if (used[what] > MOST[what]) throw new RangeError('a name asks too many servers');
    if (stop.aborted) throw new RangeError('a name takes too long');
  }

  async function answerEach(data: Hex): Promise<Hex> {
    const answers = await Promise.allSettled(readBatch(data).map(answer));
    const failures = answers.map(({ status }) => status === 'rejected');
    const responses = answers.map((each) => (each.status === 'fulfilled' ? each.value : NO_ANSWER));
    return encodeFunctionResult({ abi: BATCH, functionName: 'query', result: [failures, responses] });
  }

  async function answer(question: GatewayQuestion): Promise<Hex> {
    try {
      // Batches count as well: a contract can nest them, and ask for more without end.
      count('lookups');
      if (question.urls.includes(BATCH_URL)) return await answerEach(question.data);
      count('servers');
      return await askGateway(question, stop);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  return { hasFailed: () => hasFailed, answer };
}

/**
 * Calls a contract, and goes on with the answer of a server as often as it asks for one (EIP-3668).
 * @throws an error when a server that it asks for does not answer, or it asks in the name of another contract
 */
export async function callWithServers(
  { to, data }: ContractCall,
  call: (asked: ContractCall) => Promise<ContractAnswer>,
  servers: NameServers,
): Promise<ContractAnswer> {
  let asked = data;
  for (;;) {
    const answer = await call({ to, data: asked });
    if (!answer.isRevert || !answer.data.startsWith(LOOKUP_SELECTOR)) return answer;
    const { sender, urls, callData, callback, extra } = readLookup(answer.data);
    if (sender.toLowerCase() !== to.toLowerCase()) throw new RangeError('a contract asks in the name of another');
    const response = await servers.answer({ sender, urls, data: callData });
    const found = encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes' }], [response, extra]);
    asked = `0x${callback.slice(2)}${found.slice(2)}`;
  }
}
