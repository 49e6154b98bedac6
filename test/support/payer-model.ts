import type { ContractPayment } from '../../src/chain/payer/contract/payments.ts';
import type { PayRefusal } from '../../src/chain/payer/contract/reverts.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { bitsToNumbers } from '../../src/domain/payments/payment-numbers.ts';

/** What an asset or a recipient of the model does when something is transferred. */
export type Conduct = 'pays' | 'fails' | 'keeps a tenth' | 'calls back';

/** A call of a wallet: whether its key signed these payments for this wallet, chain and contract. */
export interface ModelCall {
  readonly wallet: Address;
  readonly payments: readonly ContractPayment[];
  readonly isSigned: boolean;
}

/** A payment that the model made. */
export interface ModelPayment extends ContractPayment {
  readonly wallet: Address;
}

interface State {
  readonly marks: Map<Address, Set<bigint>>;
  /** By asset and owner. */
  readonly balances: Map<string, bigint>;
  readonly events: ModelPayment[];
}

class Refused extends Error {
  readonly kind: PayRefusal['kind'];

  constructor(kind: PayRefusal['kind']) {
    super(kind);
    this.kind = kind;
  }
}

function copyOf({ marks, balances, events }: State): State {
  return {
    marks: new Map([...marks].map(([wallet, numbers]) => [wallet, new Set(numbers)])),
    balances: new Map(balances),
    events: [...events],
  };
}

/**
 * What the contracts should do, in plain words of TypeScript: sets of numbers and balances, and a copy of everything
 * that is kept or thrown away.
 */
export function createPayerModel(conducts: ReadonlyMap<Address, Conduct>) {
  let state: State = { marks: new Map(), balances: new Map(), events: [] };
  const delegated = new Set<Address>();
  const callbacks = new Map<Address, ModelCall>();

  const balance = (asset: Address, owner: Address) => state.balances.get(`${asset} ${owner}`) ?? 0n;

  function add(asset: Address, owner: Address, amount: bigint): void {
    state.balances.set(`${asset} ${owner}`, balance(asset, owner) + amount);
  }

  function move(asset: Address, transfer: { from: Address; to: Address; amount: bigint }): void {
    const { from, to, amount } = transfer;
    if (balance(asset, from) < amount) throw new Refused('transfer_failed');
    add(asset, from, -amount);
    add(asset, to, amount);
  }

  function callBack(contract: Address): void {
    const call = callbacks.get(contract);
    if (call !== undefined) attempt(call);
  }

  function transfer(wallet: Address, { token, to, amount }: ContractPayment): void {
    const moved = { from: wallet, to, amount };
    if (token === NATIVE_TOKEN_ADDRESS) {
      if (conducts.get(to) === 'fails') throw new Refused('transfer_failed');
      // Native money has arrived before the recipient's code runs.
      move(token, moved);
      if (conducts.get(to) === 'calls back') callBack(to);
      return;
    }
    const conduct = conducts.get(token);
    if (conduct === 'fails') throw new Refused('transfer_failed');
    if (conduct === 'calls back') callBack(token);
    move(token, moved);
    if (conduct === 'keeps a tenth') add(token, to, -(amount / 10n));
  }

  function pay({ wallet, payments, isSigned }: ModelCall): void {
    if (!isSigned) throw new Refused('bad_signature');
    const marks = state.marks.get(wallet) ?? new Set<bigint>();
    state.marks.set(wallet, marks);
    for (const payment of payments) {
      if (payment.bits === 0n) throw new Refused('no_numbers');
      const numbers = bitsToNumbers(payment);
      if (numbers.some((number) => marks.has(number))) throw new Refused('already_paid');
      for (const number of numbers) marks.add(number);
    }
    for (const payment of payments) {
      transfer(wallet, payment);
      state.events.push({ wallet, ...payment });
    }
  }

  /** Makes a call whole or not at all. */
  function attempt(call: ModelCall): PayRefusal['kind'] | null {
    if (!delegated.has(call.wallet)) return 'not_delegated';
    const before = copyOf(state);
    try {
      pay(call);
      return null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      state = before;
      return error.kind;
    }
  }

  return {
    attempt,
    /** What `attempt` would answer; nothing changes. */
    foresee(call: ModelCall): PayRefusal['kind'] | null {
      const before = copyOf(state);
      const kind = attempt(call);
      state = before;
      return kind;
    },
    /** The payments made since the last time. */
    takeEvents: (): ModelPayment[] => state.events.splice(0),
    marks: (wallet: Address): ReadonlySet<bigint> => state.marks.get(wallet) ?? new Set(),
    balance,
    fund: add,
    setCallback: (contract: Address, call: ModelCall) => callbacks.set(contract, call),
    isDelegated: (wallet: Address) => delegated.has(wallet),
    delegate: (wallet: Address) => delegated.add(wallet),
    revoke: (wallet: Address) => delegated.delete(wallet),
  };
}

export type PayerModel = ReturnType<typeof createPayerModel>;
