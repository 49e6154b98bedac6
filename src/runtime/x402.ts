import type { Config } from '../config.ts';
import type { DepositChains } from '../domain/x402/deposit-chain.ts';
import { createFacilitator } from '../endpoints/facilitator.ts';
import type { X402Parts } from '../services/x402/context.ts';

/** What gigs are paid with in their creation; nothing without wallets. */
export function createX402(
  { x402, webhookAllowPrivate: allowPrivate, publicUrl }: Config,
  paymentStack: { readonly deposits: DepositChains } | null,
  stop: AbortSignal,
): X402Parts | undefined {
  if (paymentStack === null) return undefined;
  const { isOn, facilitatorUrl: url, gasPerDay } = x402;
  return {
    chains: paymentStack.deposits,
    facilitator: url === null ? null : createFacilitator({ url, allowPrivate, stop }),
    isOn,
    url: `${publicUrl}/api/gigs/create/x402`,
    gasPerDay,
  };
}
