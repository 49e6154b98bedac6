import { createHash } from 'node:crypto';
import type { BlockRef } from '../../../../src/domain/chains/block.ts';
import type { Chain, Fees } from '../../../../src/domain/chains/chain.ts';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import {
  type BatchInclusion,
  type PaidEvent,
  type PayerChain,
  PaymentRefused,
  type WalletCall,
} from '../../../../src/domain/payments/payer-chain.ts';
import { byWord } from '../../../../src/domain/payments/payment-numbers.ts';
import { ANVIL } from '../../../support/payer.ts';

type Hex = `0x${string}`;
type GasCall = WalletCall & { readonly gas: bigint };

/** How a token of the model behaves, or a recipient. */
export type TokenWay =
  | 'good'
  /** Refused in every simulation. */
  | 'refused'
  /** Passes simulations and fails in the chain. */
  | 'fails'
  /** Takes much gas. */
  | 'heavy';

interface ModelTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: number;
  readonly fees: Fees;
  readonly gas: bigint;
  /** Null for a transaction of the gas tank's key that is not the service's. */
  readonly calls: readonly GasCall[] | null;
}

/** The state after a block; what it holds is never changed. */
interface State {
  readonly spent: number;
  /** The payment that marked each number, by wallet and number. */
  readonly marks: ReadonlyMap<string, PaidEvent>;
}

interface ModelBlock extends BlockRef {
  readonly state: State;
  readonly transactions: readonly ModelTransaction[];
  readonly receipts: readonly BatchInclusion[];
}

/** What is wrong with a view of the chain. Everything can be changed at any time. */
export interface Faults {
  /** It answers nothing. */
  isDown: boolean;
  /** It is so many blocks behind. */
  lag: number;
  losesReceipts: boolean;
  losesLogs: boolean;
  /** It lists events of at most so many blocks; null when of any. */
  logRange: bigint | null;
  /** Of these transactions it names a block that is not in its chain. */
  staleReceipts: readonly Hex[];
  /** What is broadcast gets lost, although it is accepted. */
  losesBroadcasts: boolean;
}

const START: State = { spent: 0, marks: new Map() };
const TRANSFER_GAS = 51_500n;

function hashOf(...parts: readonly unknown[]): Hex {
  const text = JSON.stringify(parts, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

function keyOf(wallet: Address, number: bigint): string {
  return `${wallet} ${number}`;
}

function fault(message: string): AdapterError {
  return new AdapterError({ retry: 'safe', reason: 'bad_response', message });
}

/**
 * A chain in memory, with the gas tank of one mnemonic. Blocks come when they are asked for, and are taken back when that
 * is asked for; each has the time of the clock.
 */
export function createChainModel({ clock, confirmations = 3 }: { clock: () => number; confirmations?: number }) {
  const chain: Chain = { ...ANVIL, confirmations };
  const bytes = new Map<Hex, ModelTransaction>();
  const ways = new Map<Address, TokenWay>();
  const listed = new Map<Address, boolean | null>();
  const wayOf = ({ token, to }: WalletCall['payments'][number]) => ways.get(token) ?? ways.get(to) ?? 'good';
  let blocks: ModelBlock[] = [
    { number: 0n, hash: hashOf('genesis'), at: clock(), state: START, transactions: [], receipts: [] },
  ];
  let pool = new Map<Hex, ModelTransaction>();
  let forks = 0;
  let strangers = 0;
  const tank = { balance: 10n ** 20n, maxFeePerGas: 10n, minFee: 0n };

  function at(index: number): ModelBlock {
    const block = blocks.at(index);
    if (block === undefined) throw new RangeError(`the model has no block ${index}`);
    return block;
  }

  /** Makes the calls of a transaction; a wallet makes all its payments or none. */
  function execute(transaction: ModelTransaction, before: State, blockNumber: bigint): [State, BatchInclusion] {
    const { hash, calls, nonce } = transaction;
    const marks = new Map(before.marks);
    const paid: PaidEvent[] = [];
    const failed: { wallet: Address; reason: string }[] = [];
    for (const { wallet, payments } of calls ?? []) {
      const isMarked = payments.some(({ numbers }) => numbers.some((number) => marks.has(keyOf(wallet, number))));
      const isBad = payments.some((payment) => ['fails', 'refused'].includes(wayOf(payment)));
      if (isMarked || isBad) {
        failed.push({ wallet, reason: isMarked ? 'marked' : 'bad token' });
        continue;
      }
      for (const payment of payments) {
        const event = { ...payment, wallet, hash, blockNumber };
        paid.push(event);
        for (const number of payment.numbers) marks.set(keyOf(wallet, number), event);
      }
    }
    const gasUsed = (transaction.gas * 4n) / 5n;
    const receipt = { hash, blockNumber, succeeded: true, cost: gasUsed, gasUsed, paid, failed };
    return [{ spent: nonce + 1, marks }, receipt];
  }

  /** Makes a block of what waits and may be included: of each nonce what pays most. */
  function mine(count = 1): void {
    for (let made = 0; made < count; made += 1) {
      const parent = at(-1);
      const number = parent.number + 1n;
      let { state } = parent;
      const transactions: ModelTransaction[] = [];
      const receipts: BatchInclusion[] = [];
      for (;;) {
        const [next] = [...pool.values()]
          .filter(({ nonce, fees }) => nonce === state.spent && fees.maxFeePerGas >= tank.minFee)
          .sort((a, b) => Number(b.fees.maxFeePerGas - a.fees.maxFeePerGas));
        if (next === undefined) break;
        const [after, receipt] = execute(next, state, number);
        state = after;
        transactions.push(next);
        receipts.push(receipt);
      }
      for (const { hash, nonce } of [...pool.values()]) if (nonce < state.spent) pool.delete(hash);
      forks += 1;
      blocks.push({ number, hash: hashOf(parent.hash, forks), at: clock(), state, transactions, receipts });
    }
  }

  function addStranger(nonce: number): void {
    strangers += 1;
    const hash = hashOf('stranger', strangers);
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n };
    pool.set(hash, { hash, raw: hash, nonce, fees, gas: 21_000n, calls: null });
  }

  /** The chain as one endpoint shows it. */
  function view(faults: Faults): PayerChain {
    const head = () => at(Math.max(-blocks.length, -1 - faults.lag));
    const settledOf = ({ number }: BlockRef) => {
      const depth = number - BigInt(chain.confirmations - 1);
      return at(Number(depth > 0n ? depth : 0n));
    };
    const blockAt = (number: bigint) => {
      const found = blocks[Number(number)];
      if (found === undefined || number > head().number) throw fault(`there is no block ${number}`);
      return found;
    };
    const refOf = ({ number, hash, at }: BlockRef): BlockRef => ({ number, hash, at });
    const answer = async <T>(read: () => T): Promise<T> => {
      if (faults.isDown) throw fault('the node is down');
      return read();
    };
    const visible = () => blocks.slice(0, Number(head().number) + 1);

    return {
      chain,
      decide: (run) => run(),
      witnesses: [],
      compare: async () => undefined,
      isReady: () => answer(() => true),
      head: () => answer(() => ({ latest: refOf(head()), settled: refOf(settledOf(head())) })),
      isCanonical: ({ number, hash }) => answer(() => number <= head().number && blocks[Number(number)]?.hash === hash),
      block: (number) => answer(() => (number > head().number ? null : refOf(at(Number(number))))),
      marks: (queries, blockNumber) =>
        answer(() => {
          const { state } = blockAt(blockNumber);
          const words = new Map<string, bigint>();
          for (const key of state.marks.keys()) {
            const [wallet = '', number = '0'] = key.split(' ');
            const word = `${wallet} ${BigInt(number) >> 8n}`;
            words.set(word, (words.get(word) ?? 0n) | (1n << (BigInt(number) & 255n)));
          }
          return queries.map(({ wallet, word }) => words.get(`${wallet} ${word}`) ?? 0n);
        }),
      balances: (queries) => answer(() => queries.map(() => null)),
      sanctioned: ({ addresses }) => answer(() => addresses.map((address) => listed.get(address) ?? false)),
      delegated: (wallets) => answer(() => wallets.map(() => true)),
      paidEvents: ({ wallets, from, to }) =>
        answer(() => {
          if (faults.losesLogs) return [];
          if (faults.logRange !== null && wallets.length > 0 && to - from >= faults.logRange) {
            throw new AdapterError({ retry: 'never', reason: 'rejected', message: 'too many blocks' });
          }
          return visible()
            .filter(({ number }) => number >= from && number <= to)
            .flatMap(({ receipts }) => receipts.flatMap(({ paid }) => paid))
            .filter(({ wallet }) => wallets.includes(wallet));
        }),
      simulate: ({ wallet, payments }) =>
        answer(() => {
          const { number: blockNumber, state } = head();
          for (const payment of payments) {
            const { token, numbers } = payment;
            if (byWord(numbers).length !== 1) throw new RangeError('numbers of several words');
            const again = numbers.filter((number) => state.marks.has(keyOf(wallet, number)));
            const seen = { blockNumber, isBare: false };
            if (again.length > 0) {
              throw new PaymentRefused(`the wallet has paid these numbers before: ${again.join(', ')}`, seen);
            }
            if (wayOf(payment) === 'refused') {
              throw new PaymentRefused(`the transfer of token ${token} would fail: not today`, seen);
            }
          }
          const each = (payment: (typeof payments)[number]) => (wayOf(payment) === 'heavy' ? 400_000n : 60_000n);
          return { gas: payments.reduce((sum, payment) => sum + each(payment), 40_000n) };
        }),
      fees: () => answer(() => ({ maxFeePerGas: tank.maxFeePerGas, maxPriorityFeePerGas: 1n })),
      publishingCost: () => answer(() => 0n),
      transferCost: () => answer(() => TRANSFER_GAS * tank.maxFeePerGas),
      tank: () =>
        answer(() => {
          const latest = head();
          const { spent } = settledOf(latest).state;
          return { balance: tank.balance, spentNonces: latest.state.spent, settledNonces: spent };
        }),
      sign: ({ calls, nonce, fees }) =>
        answer(() => {
          const hash = hashOf(calls, nonce, fees);
          const gas = calls.reduce((sum, call) => sum + call.gas, 0n);
          const raw: Hex = `0x02${hash.slice(2)}`;
          bytes.set(raw, { hash, raw, nonce, fees, gas, calls });
          return { hash, raw, gas };
        }),
      broadcast: (raw) =>
        answer(() => {
          const transaction = bytes.get(raw);
          if (transaction === undefined) throw new RangeError('bytes that nobody has signed');
          if (transaction.nonce < head().state.spent) throw fault('nonce too low');
          const rival = [...pool.values()].find(({ nonce }) => nonce === transaction.nonce);
          const isUnderpriced = rival && rival.fees.maxFeePerGas * 110n > transaction.fees.maxFeePerGas * 100n;
          if (isUnderpriced && rival.hash !== transaction.hash) throw fault('replacement transaction underpriced');
          if (rival) pool.delete(rival.hash);
          if (!faults.losesBroadcasts) pool.set(transaction.hash, transaction);
        }),
      isKnown: (hash) =>
        answer(() => pool.has(hash) || visible().some(({ receipts }) => receipts.some((each) => each.hash === hash))),
      inclusion: (hashes) =>
        answer(() => {
          if (faults.losesReceipts) return null;
          if (hashes.some((hash) => faults.staleReceipts.includes(hash))) throw fault('a block that is gone');
          const receipts = visible().flatMap((block) => block.receipts);
          return receipts.find(({ hash }) => hashes.includes(hash)) ?? null;
        }),
    };
  }

  return {
    chain,
    ways,
    /** What a screening oracle answers about addresses; about all others false. */
    listed,
    tank,
    view,
    mine,
    /** Has the gas tank's key used elsewhere, for the next nonce. */
    useTankElsewhere: () => addStranger(at(-1).state.spent),
    /** A stranger makes the calls of these bytes, or one of them, in a block of its own, before they are included. */
    relay: (raw: Hex, wallet?: Address) => {
      const transaction = bytes.get(raw);
      if (transaction === undefined) throw new RangeError('bytes that nobody has signed');
      const { hash: before, number: height, state } = at(-1);
      const [number, hash] = [height + 1n, hashOf('relayed', raw)];
      const calls = transaction.calls?.filter((call) => wallet === undefined || call.wallet === wallet) ?? [];
      const [{ marks }, receipt] = execute({ ...transaction, hash, calls }, state, number);
      const made = { number, hash: hashOf(before, raw), at: clock(), state: { marks, spent: state.spent } };
      blocks.push({ ...made, transactions: [{ ...transaction, hash, calls: null }], receipts: [receipt] });
    },
    /** Forgets what waits for a block. */
    emptyPool: () => {
      pool = new Map();
    },
    /**
     * Takes the last blocks back and makes one more than there were. What was in them waits for a block again, in no
     * order, or is lost; what anybody has signed at any time may come instead.
     */
    reorganise(depth: number, { keeps = true, instead = [] }: { keeps?: boolean; instead?: readonly Hex[] } = {}) {
      const most = Math.min(depth, blocks.length - 1);
      const gone = blocks.slice(blocks.length - most);
      blocks = blocks.slice(0, blocks.length - most);
      const { spent } = at(-1).state;
      if (keeps) {
        for (const { transactions } of gone) for (const each of transactions) pool.set(each.hash, each);
      }
      for (const raw of instead) {
        const transaction = bytes.get(raw);
        if (transaction === undefined || transaction.nonce < spent) continue;
        const { hash, fees } = transaction;
        pool.set(hash, { ...transaction, fees: { ...fees, maxFeePerGas: 10n ** 8n } });
      }
      mine(most + 1);
    },
    /** All bytes that anybody has signed so far. */
    signed: () => [...bytes.keys()],
    /** The payments in the chain, oldest first. */
    paid: (): PaidEvent[] => blocks.flatMap(({ receipts }) => receipts.flatMap(({ paid }) => paid)),
    height: () => at(-1).number,
    spent: () => at(-1).state.spent,
    /** The transactions of the service in the chain, oldest first. */
    receipts: () =>
      blocks.flatMap(({ transactions, receipts }) =>
        receipts.filter((_, index) => transactions[index]?.calls !== null),
      ),
  };
}

export type ChainModel = ReturnType<typeof createChainModel>;

export function noFaults(): Faults {
  return {
    isDown: false,
    lag: 0,
    losesReceipts: false,
    losesLogs: false,
    logRange: null,
    staleReceipts: [],
    losesBroadcasts: false,
  };
}
