import type { Hex } from 'viem';
import { z } from 'zod';
import type { Address } from '../../domain/gigs/token.ts';
import { isBytes } from '../rpc/bytes.ts';

function hex(shape: RegExp) {
  // Every shape demands the prefix that the type promises.
  return z
    .string()
    .regex(shape)
    .transform((text) => text.toLowerCase() as Hex);
}

const QUANTITY = hex(/^0x[0-9a-f]{1,64}$/i).transform(BigInt);
const HASH = hex(/^0x[0-9a-f]{64}$/i);
const ADDRESS = hex(/^0x[0-9a-f]{40}$/i);

/** What a contract logs has any length. */
const DATA = z
  .custom<Hex>((text) => typeof text === 'string' && isBytes(text))
  .transform((text) => text.toLowerCase() as Hex);

/** An event as a receipt holds it; endpoints that list events name its transaction and block as well. */
const EVENT = z.object({ address: ADDRESS, topics: z.array(HASH), data: DATA });

const LISTED = z.array(
  EVENT.extend({ transactionHash: HASH, blockNumber: QUANTITY, removed: z.literal(false).nullish() }),
);

const RECEIPT = z.object({
  transactionHash: HASH,
  from: ADDRESS,
  blockHash: HASH,
  blockNumber: QUANTITY,
  status: z.enum(['0x0', '0x1']),
  gasUsed: QUANTITY,
  effectiveGasPrice: QUANTITY,
  // What a rollup of the OP stack takes for publishing the transaction; it is in neither gas nor price.
  // https://docs.rs/op-alloy-rpc-types/latest/op_alloy_rpc_types/struct.L1BlockInfo.html
  l1Fee: QUANTITY.nullish(),
  // What its operator takes besides, since Isthmus. https://specs.optimism.io/protocol/isthmus/exec-engine.html#operator-fee
  operatorFeeScalar: QUANTITY.nullish(),
  operatorFeeConstant: QUANTITY.nullish(),
  // Only since Jovian.
  daFootprintGasScalar: QUANTITY.nullish(),
  logs: z.array(EVENT),
});

const BLOCK = z.object({ hash: HASH, baseFeePerGas: QUANTITY });

export type Receipt = z.infer<typeof RECEIPT>;

export type ListedEvent = z.infer<typeof LISTED>[number];

export type Block = z.infer<typeof BLOCK>;

/** Reads the receipt of one transaction: null when there is none, undefined when the answer is not valid. */
export function toReceipt(
  answer: unknown,
  { hash, from }: { hash: Hex; from?: Address | undefined },
): Receipt | null | undefined {
  if (answer === null) return null;
  const receipt = RECEIPT.safeParse(answer).data;
  return receipt?.transactionHash === hash && (from === undefined || receipt.from === from) ? receipt : undefined;
}

/** Reads a block; undefined when the answer is not valid. */
export function toBlock(answer: unknown): Block | undefined {
  return BLOCK.safeParse(answer).data;
}

/** Reads a list of events that are in the chain; undefined when the answer is not valid. */
export function toEvents(answer: unknown): ListedEvent[] | undefined {
  return LISTED.safeParse(answer).data;
}

/** The scalar counts millionths of a wei, since Jovian hundreds of wei: https://specs.optimism.io/protocol/jovian/exec-engine.html#operator-fee */
function operatorFee({ gasUsed, operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar }: Receipt): bigint {
  const scaled = gasUsed * (operatorFeeScalar ?? 0n);
  const isJovian = typeof daFootprintGasScalar === 'bigint';
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + (operatorFeeConstant ?? 0n);
}

/** Wei that a transaction cost its sender. */
export function gasSpent(receipt: Receipt): bigint {
  return receipt.gasUsed * receipt.effectiveGasPrice + (receipt.l1Fee ?? 0n) + operatorFee(receipt);
}
