import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerializedEIP1559 } from 'viem';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Address } from '../../../src/domain/token.ts';
import type { Node } from './node.ts';
import { CHAIN } from './order.ts';
import { type Handler, honest, type Passing, type RpcProxy, SEND } from './proxy.ts';

/** Where a fault happens. */
export interface Place {
  readonly node: Node;
  readonly proxy: RpcProxy;
  /** Counts one more nonce that somebody else has spent. */
  readonly onForeign: (sender: Address) => void;
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

function rawOf({ params: [raw] }: Passing): TransactionSerializedEIP1559 {
  // The only client signs nothing else.
  return raw as TransactionSerializedEIP1559;
}

async function signedBy(raw: TransactionSerializedEIP1559) {
  const { nonce = 0, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  const signer = await recoverTransactionAddress({ serializedTransaction: raw });
  const sender: Address = `0x${signer.slice(2).toLowerCase()}`;
  return { sender, nonce, maxFeePerGas, maxPriorityFeePerGas };
}

type Signed = Awaited<ReturnType<typeof signedBy>>;

/**
 * Sends something else from the same wallet, as an owner of a copy of its key would. What that costs is given back, as an
 * operator has to before it is accepted: a gig in the native asset would hold less than it owes.
 */
async function spendNonce({ node, onForeign }: Place, { sender, ...terms }: Signed): Promise<void> {
  const wallets = createWallets(MNEMONIC);
  const accounts = [wallets.gigAccount(1), wallets.gigAccount(2), wallets.gasTankAccount()];
  const account = accounts.find(({ address }) => address.toLowerCase() === sender);
  if (account === undefined) throw new Error(`nobody has the key of ${sender}`);
  const terms1559 = { ...terms, type: 'eip1559', chainId: CHAIN.id, gas: 21_000n } as const;
  const held = await node.result('eth_getBalance', [sender, 'latest']);
  await node.result(SEND, [await account.signTransaction({ ...terms1559, to: sender, value: 0n })]);
  await node.mine();
  await node.result('anvil_setBalance', [sender, held]);
  await node.mine();
  onForeign(sender);
}

/** Keeps a transaction waiting until it is offered with a higher fee, and then lets one of the two into the chain. */
function stuck(winner: 'older' | 'newer'): Fault {
  return async (passing, { node, proxy }) => {
    const first = rawOf(passing);
    const { sender, nonce } = await signedBy(first);
    await proxy.stopMining();
    passing.answer(await passing.deliver());
    return async (later) => {
      const raw = later.method === SEND && !proxy.mining ? rawOf(later) : first;
      const again = raw === first ? null : await signedBy(raw);
      if (again?.sender === sender && again.nonce === nonce) {
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
    const seen = !proxy.mining && later.method === 'eth_getBlockByNumber' && later.params[0] === block;
    const answer = await later.deliver();
    if (seen) {
      proxy.mining = true;
      await node.result('anvil_rollback', [1]);
    }
    later.answer(answer);
  };
};

/** Looks at a transaction that find no receipt, enough of them for whoever takes that for a proof. */
const BLIND_LOOKS = 5;

/** Has each receipt late, though everything else that it says is true: its index lags behind. */
const withoutReceipts: Fault = async (passing) => {
  await honest(passing);
  const looks = new Map<unknown, number>();
  return async (later) => {
    const [hash] = later.params;
    const seen = looks.get(hash) ?? 0;
    if (later.method !== 'eth_getTransactionReceipt' || seen === BLIND_LOOKS) return await honest(later);
    looks.set(hash, seen + 1);
    later.answer({ result: null });
  };
};

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
    await spendNonce(place, await signedBy(rawOf(passing)));
    await honest(passing);
    return undefined;
  },
  'next-nonce-spent-elsewhere': async (passing, place) => {
    const answer = await passing.deliver();
    const signed = await signedBy(rawOf(passing));
    await spendNonce(place, { ...signed, nonce: signed.nonce + 1 });
    passing.answer(answer);
    return undefined;
  },
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
  'forgets-receipts': withoutReceipts,
  'is-behind': once(async (passing) => {
    const answer = await passing.deliver();
    if (passing.method !== 'eth_blockNumber' || !('result' in answer)) return passing.answer({ result: null });
    passing.answer({ result: `0x${(BigInt(String(answer.result)) - 2n).toString(16)}` });
  }),
};
