import { z } from '@hono/zod-openapi';
import { encodeFunctionData, erc20Abi } from 'viem';
import { formatDecimal } from '../../../domain/amount.ts';
import { type Gig, requiredFunds } from '../../../domain/gigs/gig.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { gigIdField, refundNameField, tokenChainField } from '../fields.ts';

const decimal = z.string().openapi({ description: 'In whole tokens.', example: '10.0' });

/** The funds that a gig needs before it can start, and how to send them. */
export const fundingSchema = z
  .object({
    gig_id: gigIdField,
    gig_wallet_address: z.string().openapi({ description: 'The gig’s wallet, to which you send the funds.' }),
    gig_token_address: z.string().openapi({ description: 'The token of the reward.' }),
    gig_chain_id: tokenChainField,
    gig_balance: decimal.openapi({ description: 'The reward, in whole tokens.' }),
    platform_fee: decimal.openapi({ description: 'The platform’s fee, in whole tokens.' }),
    total_amount: decimal.openapi({ description: 'Reward and fee: what the wallet must hold.' }),
    tx_data: z.string().openapi({ description: 'Calldata of the transfer; `0x` for a native asset.' }),
    refund_address: z.string().optional().openapi({
      description: 'The address to which `refund_name` led, and unawarded funds return; only where a name was given.',
      example: '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
    }),
    refund_name: refundNameField,
  })
  .openapi('GigCreated', { description: 'The funds that a gig needs before it can start, and how to send them.' });

function fundingData(gig: Gig): string {
  if (gig.token.isNative) return '0x';
  return encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [gig.walletAddress, requiredFunds(gig)],
  });
}

/** The funds that a gig needs before it can start, and how to send them. */
export function renderFunding(gig: Gig) {
  const { decimals, address, chainId } = gig.token;
  return {
    gig_id: gig.id,
    gig_wallet_address: checksummed(gig.walletAddress),
    gig_token_address: checksummed(address),
    gig_chain_id: chainId,
    gig_balance: formatDecimal(gig.rewardAmount, decimals),
    platform_fee: formatDecimal(gig.feeAmount, decimals),
    total_amount: formatDecimal(requiredFunds(gig), decimals),
    tx_data: fundingData(gig),
    ...(gig.refundAddress !== null &&
      gig.refundName !== null && { refund_address: checksummed(gig.refundAddress), refund_name: gig.refundName }),
  };
}
