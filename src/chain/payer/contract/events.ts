import { decodeEventLog, type Hex, toEventSelector } from 'viem';
import type { Address } from '../../../domain/gigs/token.ts';
import { PAY_BATCH, TIP_PAYER } from './artifact.ts';
import type { ContractPayment } from './payments.ts';

export const TIPS_PAID_TOPIC: Hex = toEventSelector('TipsPaid(address,address,uint256,uint256,uint256)');
const PAY_FAILED_TOPIC: Hex = toEventSelector('PayFailed(address,uint256,bytes)');

export interface EventLog {
  /** In any case. */
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** A payment that was made. It is one of the service's only if `wallet` is: any contract can log the same event. */
export interface TipsPaid extends ContractPayment {
  readonly wallet: Address;
}

/** A wallet that failed within a batch. Only one from PayBatch's address, in the own receipt, means something. */
export interface PayFailed {
  readonly batch: Address;
  readonly wallet: Address;
  /** Its place in the batch, from 0. */
  readonly index: number;
  /** What the wallet's call returned, at most 512 bytes: `decodeRevert` reads it. */
  readonly answer: Hex;
}

/** A decoder's address, which has a checksum, as the store compares it. */
export function lowerCased(address: string): Address {
  return `0x${address.slice(2).toLowerCase()}`;
}

/** A TipsPaid event, or null when the log is another event or is not encoded like one. */
export function decodeTipsPaid(log: EventLog): TipsPaid | null {
  const [topic, ...rest] = log.topics;
  if (topic !== TIPS_PAID_TOPIC) return null;
  try {
    const topics: [Hex, ...Hex[]] = [topic, ...rest];
    const { args } = decodeEventLog({ abi: TIP_PAYER.abi, eventName: 'TipsPaid', topics, data: log.data });
    const { to, token, amount, word, bits } = args;
    return { wallet: lowerCased(log.address), to: lowerCased(to), token: lowerCased(token), amount, word, bits };
  } catch {
    // Any contract can log the same topic with other data.
    return null;
  }
}

/** A PayFailed event, or null when the log is another event or is not encoded like one. */
export function decodePayFailed(log: EventLog): PayFailed | null {
  const [topic, ...rest] = log.topics;
  // A large batch logs hundreds of others; viem would make an error of each.
  if (topic !== PAY_FAILED_TOPIC) return null;
  try {
    const topics: [Hex, ...Hex[]] = [topic, ...rest];
    const { args } = decodeEventLog({ abi: PAY_BATCH.abi, eventName: 'PayFailed', topics, data: log.data });
    const { wallet, index, answer } = args;
    return { batch: lowerCased(log.address), wallet: lowerCased(wallet), index: Number(index), answer };
  } catch {
    // Any contract can log the same topic with other data.
    return null;
  }
}
