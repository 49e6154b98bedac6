import { type Hex, keccak256, numberToHex, parseTransaction, type TransactionSerialized } from 'viem';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Node } from './node.ts';
import { CHAIN } from './order.ts';
import { type Handler, honest, type Passing, type RpcProxy } from './proxy.ts';
import { SEND } from './questions.ts';

/** Where a fault happens. */
export interface Place {
  readonly node: Node;
  readonly proxy: RpcProxy;
}

/** What goes wrong with one question; answers who handles the questions after it, when that is not the honest one. */
type Fault = (passing: Passing, place: Place) => Promise<Handler | undefined>;

const NONCE_TOO_LOW = { error: { code: -32000, message: 'nonce too low' } };
const HTML = { type: 'text/html', body: '<html><body>Service Unavailable</body></html>' };
const TEXT = { type: 'text/plain', body: 'try again later' };

/** A fault of this one question. */
function once(run: (passing: Passing) => Promise<unknown>): Fault {
  return async (passing) => {
    await run(passing);
    return undefined;
  };
}

/** A fault after which the node has the question all the same. */
function onceDelivered(run: (passing: Passing) => unknown): Fault {
  return once(async (passing) => {
    await passing.deliver();
    await run(passing);
  });
}

function rawOf({ params: [raw] }: Passing): TransactionSerialized {
  // The only client signs nothing else.
  return raw as TransactionSerialized;
}

/** Sends something else from the gas tank, as an owner of a copy of its key would. */
async function spendNonce({ node }: Place, raw: TransactionSerialized, shift: 0 | 1): Promise<void> {
  const { nonce = 0, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  const account = createWallets(MNEMONIC).gasTankAccount();
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const shared = { type: 'eip1559', chainId: CHAIN.id, gas: 21_000n, to: account.address, value: 0n } as const;
  await node.result(SEND, [await account.signTransaction({ ...shared, ...fees, nonce: nonce + shift })]);
  await node.mine();
}

/** By how many wei the fees rise that make a transaction stuck. */
const RISE_WEI = 10n ** 7n;

/** Makes a block without this transaction, in which fees are higher. */
async function passBy(node: Node, raw: TransactionSerialized): Promise<void> {
  const block = (await node.result('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: Hex };
  await node.result('anvil_dropTransaction', [keccak256(raw)]);
  await node.result('anvil_setNextBlockBaseFeePerGas', [numberToHex(BigInt(block.baseFeePerGas) + RISE_WEI)]);
  await node.mine();
}

/** Keeps a transaction waiting until it is offered with a higher fee, and then lets one of the two into the chain. */
function stuck(winner: 'older' | 'newer'): Fault {
  return async (passing, { node, proxy }) => {
    const first = rawOf(passing);
    const { nonce } = parseTransaction(first);
    await proxy.stopMining();
    const answer = await passing.deliver();
    await passBy(node, first);
    passing.answer(answer);
    return async (later) => {
      const raw = later.method === SEND && !proxy.mining ? rawOf(later) : first;
      if (raw !== first && parseTransaction(raw).nonce === nonce) {
        if (winner === 'older') await node.mine();
        proxy.mining = true;
      }
      await honest(later);
    };
  };
}

/** Lets a transaction into the chain and, as soon as somebody has seen its block there, takes that block back. */
const reorganized: Fault = async (passing, { node, proxy }) => {
  await proxy.stopMining();
  const answer = await passing.deliver();
  await node.mine();
  const block = await node.result('eth_blockNumber', []);
  passing.answer(answer);
  return async (later) => {
    const answer = await later.deliver();
    const seen =
      !proxy.mining && later.method.startsWith('eth_getBlock') && JSON.stringify(answer).includes(`"${block}"`);
    if (seen) {
      proxy.mining = true;
      await node.result('anvil_rollback', [1]);
      await node.setClock();
    }
    later.answer(answer);
  };
};

/** Has no receipts from now on. */
const withoutReceipts: Handler = async (passing) => {
  if (passing.method === 'eth_getTransactionReceipt') passing.answer({ result: null });
  else await honest(passing);
};

/** For how long logs are lost: longer than a payment takes to settle. */
const BLIND_MS = 500;

/** Has no receipts from now on, and no logs for a while, though everything else that it says is true. */
function blind(): Handler {
  const until = Date.now() + BLIND_MS;
  return async (passing) => {
    if (passing.method === 'eth_getLogs' && Date.now() < until) passing.answer({ result: [] });
    else await withoutReceipts(passing);
  };
}

/** From this question on somebody else answers. */
function from(handler: () => Handler): Fault {
  return async (passing) => {
    const later = handler();
    await later(passing);
    return later;
  };
}

/** What may go wrong with an offer of signed bytes. */
export const SEND_FAULTS: Readonly<Record<string, Fault>> = {
  'drops-the-answer': onceDelivered((passing) => passing.drop()),
  'answers-late': onceDelivered((passing) => passing.left),
  'delivers-late': once(async (passing) => {
    await passing.left;
    await passing.deliver();
  }),
  'delivers-twice': onceDelivered(honest),
  'lies-nonce-too-low': once(async (passing) => passing.answer(NONCE_TOO_LOW)),
  'delivers-and-says-nonce-too-low': onceDelivered((passing) => passing.answer(NONCE_TOO_LOW)),
  'lies-already-known': once(async (passing) => passing.answer({ error: { code: -32000, message: 'already known' } })),
  'loses-it': once(async (passing) => passing.answer({ result: keccak256(rawOf(passing)) })),
  'delivers-and-says-insufficient-funds': onceDelivered((passing) =>
    passing.answer({ error: { code: -32000, message: 'insufficient funds for gas * price + value' } }),
  ),
  'delivers-and-answers-another-hash': onceDelivered((passing) => passing.answer({ result: keccak256('0x00') })),
  'drops-it': once(async (passing) => passing.drop()),
  'http-500': once(async (passing) => passing.http(500, TEXT)),
  'delivers-and-http-500': onceDelivered((passing) => passing.http(500, TEXT)),
  'http-429': once(async (passing) => passing.http(429, TEXT)),
  'delivers-and-http-429': onceDelivered((passing) => passing.http(429, TEXT)),
  html: once(async (passing) => passing.http(200, HTML)),
  'delivers-and-html': onceDelivered((passing) => passing.http(200, HTML)),
  'stuck-until-replaced': stuck('newer'),
  'replaced-too-late': stuck('older'),
  reorganized,
  'nonce-spent-elsewhere': async (passing, place) => {
    await spendNonce(place, rawOf(passing), 0);
    await honest(passing);
    return undefined;
  },
  'next-nonce-spent-elsewhere': async (passing, place) => {
    const answer = await passing.deliver();
    await spendNonce(place, rawOf(passing), 1);
    passing.answer(answer);
    return undefined;
  },
  'loses-receipts': from(() => withoutReceipts),
  'loses-receipts-and-logs': from(blind),
};

/** What may go wrong with any question. */
export const CALL_FAULTS: Readonly<Record<string, Fault>> = {
  drops: once(async (passing) => passing.drop()),
  'answers-late': onceDelivered((passing) => passing.left),
  'http-500': once(async (passing) => passing.http(500, TEXT)),
  'http-429': once(async (passing) => passing.http(429, TEXT)),
  html: once(async (passing) => passing.http(200, HTML)),
  'header-not-found': once(async (passing) => passing.answer({ error: { code: -32000, message: 'header not found' } })),
  'knows-nothing': once(async (passing) => passing.answer({ result: null })),
  'loses-receipts': from(() => withoutReceipts),
  'loses-receipts-and-logs': from(blind),
  'is-behind': once(async (passing) => {
    const answer = await passing.deliver();
    if (passing.method !== 'eth_blockNumber' || !('result' in answer)) return passing.answer({ result: null });
    passing.answer({ result: `0x${(BigInt(String(answer.result)) - 2n).toString(16)}` });
  }),
};
