import { encodeEventTopics, type Hex, keccak256 } from 'viem';
import { encodeAbiParameters } from 'viem/utils';
import { TIP_PAYER } from '../../src/chain/payer/contract/artifact.ts';
import { decodeTipsPaid, type EventLog } from '../../src/chain/payer/contract/events.ts';

const STRANGER = '0x00000000000000000000000000000000000000e9';

/** What a node answers. */
type Told = { readonly result: unknown } | { readonly error: unknown };

/** A question to a node, on its way through an endpoint that is not honest. */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Asks the node. */
  deliver(): Promise<Told>;
}

/** What an endpoint answers in the node's place; what it passes on is true. */
export type Dishonest = (question: Question) => Promise<Told>;

function forge(log: EventLog): EventLog {
  const paid = decodeTipsPaid(log);
  if (paid === null) return log;
  const { token, amount, word, bits } = paid;
  const topics = encodeEventTopics({ abi: TIP_PAYER.abi, eventName: 'TipsPaid', args: { to: STRANGER } });
  const data = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }],
    [token, amount + 1n, word, bits],
  );
  // An event has no parameter that is left open here.
  return { ...log, topics: topics as Hex[], data };
}

function forgeResult(method: string, result: unknown): unknown {
  // The node answers both in the shape of their standard.
  if (method === 'eth_getLogs') return (result as EventLog[]).map(forge);
  if (method !== 'eth_getTransactionReceipt' || result === null) return result;
  const receipt = result as { logs: EventLog[] };
  return { ...receipt, logs: receipt.logs.map(forge) };
}

const NOTHING: Readonly<Record<string, unknown>> = { eth_getTransactionReceipt: null, eth_getLogs: [] };

/** The ways in which an endpoint that serves the right chain can be dishonest. */
export const DISHONEST = {
  /** Tells of every payment that it went to somebody else, and was more. */
  lies: async ({ method, deliver }) => {
    const told = await deliver();
    return 'result' in told ? { result: forgeResult(method, told.result) } : told;
  },
  /** Accepts transactions and passes none on. */
  forgets: async ({ method, params: [raw], deliver }) =>
    method === 'eth_sendRawTransaction' ? { result: keccak256(raw as Hex) } : await deliver(),
  /** Has no block but the newest. */
  forgetsBlocks: async ({ method, params: [block], deliver }) =>
    method === 'eth_getBlockByNumber' && block !== 'latest' ? { result: null } : await deliver(),
  /** Has no marks: no wallet has paid anything. */
  hidesMarks: async ({ method, deliver }) =>
    method === 'eth_getStorageAt' ? { result: `0x${'0'.repeat(64)}` } : await deliver(),
  /** Has no receipts and no events. */
  hides: async ({ method, deliver }) => (method in NOTHING ? { result: NOTHING[method] } : await deliver()),
  /** Has no marks either: nothing was ever paid. */
  hidesAll: async ({ method, deliver }) => {
    if (method === 'eth_getStorageAt') return { result: `0x${'0'.repeat(64)}` };
    return method in NOTHING ? { result: NOTHING[method] } : await deliver();
  },
} as const satisfies Record<string, Dishonest>;
