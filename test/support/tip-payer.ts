import { type Hex, keccak256, type Log, numberToHex, type TransactionReceipt, zeroAddress } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type BatchCall, encodePay, encodePayMany } from '../../src/chain/payer/contract/calls.ts';
import { PAYER_CONTRACTS, storageKey } from '../../src/chain/payer/contract/contracts.ts';
import {
  decodePayFailed,
  decodeTipsPaid,
  type PayFailed,
  type TipsPaid,
} from '../../src/chain/payer/contract/events.ts';
import type { ContractPayment } from '../../src/chain/payer/contract/payments.ts';
import { type Delegation, signDelegation, signPay } from '../../src/chain/payer/contract/signature.ts';
import { deployPayer } from '../../src/chain/payer/deploy/deploy.ts';
import type { Address } from '../../src/domain/gigs/token.ts';
import { bitOf } from '../../src/domain/payments/payment-numbers.ts';
import { anvilClients, freshAccount, mined } from './anvil.ts';

/** The id of the local chain. */
export const CHAIN_ID = 31337;
/** More than any transaction here needs, unless a test says otherwise. */
const PLENTY = 8_000_000n;

/** A transaction of the stage's own sender, unless another is named. */
export interface StageCall {
  /** Null creates a contract. */
  readonly to: Address | null;
  readonly data: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
  readonly from?: PrivateKeyAccount;
  readonly delegations?: readonly Delegation[];
}

/** What became of a transaction, as far as the payer's contracts tell. */
export interface Outcome {
  readonly receipt: TransactionReceipt;
  readonly succeeded: boolean;
  readonly paid: TipsPaid[];
  readonly failed: PayFailed[];
}

export interface Gig {
  readonly account: PrivateKeyAccount;
  readonly wallet: Address;
}

export function lower(address: string): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** A wallet with a key of its own; the same one for the same secret. */
export function gigOf(secret?: string): Gig {
  const account = privateKeyToAccount(
    secret === undefined ? generatePrivateKey() : keccak256(`0x${Buffer.from(secret).toString('hex')}`),
  );
  return { account, wallet: lower(account.address) };
}

export function eventsOf(logs: readonly Log[]): { paid: TipsPaid[]; failed: PayFailed[] } {
  return {
    paid: logs.map(decodeTipsPaid).filter((event) => event !== null),
    failed: logs.map(decodePayFailed).filter((event) => event !== null),
  };
}

/** A node with the payer's contracts, and an account that sends everything. */
export async function openStage(url?: string) {
  const clients = anvilClients(url);
  const tank = await freshAccount(url);

  /** Broadcasts; a block comes by itself unless the test has stopped that. */
  async function broadcast(call: StageCall): Promise<Hex> {
    const { to, data, value = 0n, gas = PLENTY, from = tank, delegations } = call;
    const nonce = await clients.public.getTransactionCount({ address: from.address, blockTag: 'pending' });
    const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };
    const shared = { chainId: CHAIN_ID, nonce, to, data, value, gas, ...fees };
    const raw = await from.signTransaction(
      delegations === undefined
        ? { ...shared, type: 'eip1559' }
        : { ...shared, type: 'eip7702', authorizationList: [...delegations] },
    );
    return await clients.public.sendRawTransaction({ serializedTransaction: raw });
  }

  async function outcome(hash: Hex): Promise<Outcome> {
    const receipt = await mined(hash, url);
    const { paid, failed } = eventsOf(receipt.logs);
    return { receipt, succeeded: receipt.status === 'success', paid, failed };
  }

  const send = async (call: StageCall) => await outcome(await broadcast(call));

  await deployPayer({
    code: async (address) => (await clients.public.getCode({ address })) ?? '0x',
    send: async (call) => {
      if (!(await send(call)).succeeded) throw new Error('a deployment was reverted');
    },
  });

  /** Calldata of payments that the gig's own key signed. */
  async function signed(gig: Gig, payments: readonly ContractPayment[]): Promise<Hex> {
    return encodePay(payments, await signPay(gig.account, { chainId: CHAIN_ID, wallet: gig.wallet, payments }));
  }

  async function delegation(gig: Gig): Promise<Delegation> {
    const nonce = await clients.public.getTransactionCount({ address: gig.wallet });
    return await signDelegation(gig.account, { chainId: CHAIN_ID, nonce });
  }

  return {
    ...clients,
    tank,
    broadcast,
    outcome,
    send,
    signed,
    delegation,
    /** A wallet that delegates already. */
    async delegated(secret?: string): Promise<Gig> {
      const gig = gigOf(secret);
      await send({ to: zeroAddress, data: '0x', delegations: [await delegation(gig)] });
      return gig;
    },
    /** Pays from one wallet, which delegates already. */
    async pay(gig: Gig, payments: readonly ContractPayment[], options: Partial<StageCall> = {}): Promise<Outcome> {
      return await send({ to: gig.wallet, data: await signed(gig, payments), ...options });
    },
    async payMany(calls: readonly BatchCall[], options: Partial<StageCall> = {}): Promise<Outcome> {
      return await send({ to: PAYER_CONTRACTS.payBatch.address, data: encodePayMany(calls), ...options });
    },
    /** The data of the revert that a call would end with; null when it would not. */
    async revertOf(call: { to: Address; data: Hex; gas?: bigint }): Promise<Hex | null> {
      const { to, data, gas = PLENTY } = call;
      const transaction = { from: tank.address, to, data, gas: numberToHex(gas) };
      try {
        await clients.public.request({ method: 'eth_call', params: [transaction, 'latest'] });
        return null;
      } catch (error) {
        for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
          if ('data' in cause && typeof cause.data === 'string') return cause.data as Hex;
        }
        throw error;
      }
    },
    /** The word of marks that holds a number, read from the wallet's storage. */
    async marks(wallet: Address, number = 0n): Promise<bigint> {
      const slot = storageKey(bitOf(number).word);
      return BigInt((await clients.public.getStorageAt({ address: wallet, slot })) ?? 0n);
    },
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
