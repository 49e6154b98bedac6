import { z } from 'zod';
import { chainById } from '../chains/chain.ts';
import { addressField } from '../fields.ts';
import { type Gig, requiredFunds } from '../gigs/gig.ts';
import { checksummed } from '../gigs/token.ts';
import type { Authorization, SigningDomain } from './deposit.ts';

/** How long a client's authorization lasts, in seconds. */
export const PAY_WITHIN_SECONDS = 300;

/** One way to pay, as x402 writes it. */
export interface PaymentTerms {
  readonly scheme: 'exact';
  /** CAIP-2: `eip155:8453`. */
  readonly network: string;
  /** Base units. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: SigningDomain;
}

/** What a client has to pay for what: the JSON of `PAYMENT-REQUIRED`, version 2. */
export interface PaymentRequired {
  readonly x402Version: 2;
  readonly error: string;
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  readonly accepts: readonly PaymentTerms[];
  readonly extensions:
    | { readonly gig: { readonly info: { readonly gig_id: number } } }
    | Readonly<Record<string, never>>;
}

/** The JSON of `PAYMENT-RESPONSE`. */
export interface PaymentResponse {
  readonly success: boolean;
  readonly errorReason?: string;
  readonly payer: string;
  readonly transaction: string;
  readonly network: string;
}

/** Where paid gigs are made. */
export interface PaidResource {
  readonly url: string;
}

export function networkOf(chainId: number): string {
  return `eip155:${chainId}`;
}

/** How a gig's whole funding is paid into its own wallet. */
export function termsOf(gig: Gig, extra: SigningDomain): PaymentTerms {
  return {
    scheme: 'exact',
    network: networkOf(gig.token.chainId),
    amount: String(requiredFunds(gig)),
    asset: checksummed(gig.token.address),
    payTo: checksummed(gig.walletAddress),
    maxTimeoutSeconds: PAY_WITHIN_SECONDS,
    extra: { name: extra.name, version: extra.version },
  };
}

/** What is to be paid for a gig, and why it is not paid yet; without a gig nothing can be paid. */
export function requiredFor(
  { url }: PaidResource,
  due: { readonly gig: Gig; readonly domain: SigningDomain } | null,
  error: string,
): PaymentRequired {
  const chain = due === null ? undefined : chainById(due.gig.token.chainId)?.name;
  const description = due === null ? 'A gig' : `Gig ${due.gig.id}, funded in ${due.gig.token.symbol} on ${chain}`;
  return {
    x402Version: 2,
    error,
    resource: { url, description, mimeType: 'application/json' },
    accepts: due === null ? [] : [termsOf(due.gig, due.domain)],
    extensions: due === null ? {} : { gig: { info: { gig_id: due.gig.id } } },
  };
}

/** A header's JSON, as x402 writes it. */
export function headerText(value: PaymentRequired | PaymentResponse): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** The longest header that is read. */
export const MOST_HEADER = 16_384;

const LAST_SECOND = 2n ** 53n - 1n;

/** Whole seconds as text; one that JavaScript cannot count is no time of a chain. */
const seconds = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform((text) => {
    const value = BigInt(text);
    return Number(value > LAST_SECOND ? LAST_SECOND : value);
  });
const amount = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform(BigInt);
const hexBytes = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`);

const payloadSchema = z.object({
  x402Version: z.literal(2),
  accepted: z.object({
    scheme: z.string(),
    network: z.string(),
    amount,
    asset: addressField('asset'),
    payTo: addressField('payTo'),
  }),
  payload: z.object({
    signature: hexBytes(/^0x(?:[0-9a-f]{2}){1,2048}$/i),
    authorization: z.object({
      from: addressField('from'),
      to: addressField('to'),
      value: amount,
      validAfter: seconds,
      validBefore: seconds,
      nonce: hexBytes(/^0x[0-9a-f]{64}$/i),
    }),
  }),
});

type Payload = z.output<typeof payloadSchema>;

/** A payment as a client sends it. */
export interface SentPayment {
  /** The terms that it says to pay by. */
  readonly accepted: Payload['accepted'];
  readonly to: Payload['payload']['authorization']['to'];
  readonly authorization: Authorization;
}

/** Reads `PAYMENT-SIGNATURE`; null for anything but a payment of version 2 by EIP-3009. */
export function readPayment(header: string): SentPayment | null {
  if (header.length > MOST_HEADER || !/^[A-Za-z0-9+/]+=*$/.test(header)) return null;
  let sent: unknown;
  try {
    sent = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    return null;
  }
  const { data } = payloadSchema.safeParse(sent);
  if (data === undefined) return null;
  const { from: payer, to, value, ...rest } = data.payload.authorization;
  const { signature } = data.payload;
  return { accepted: data.accepted, to, authorization: { ...rest, payer, amount: value, signature } };
}

/** The request by which a facilitator settles a payment. */
export function settleRequest(gig: Gig, terms: PaymentTerms, { resource }: PaymentRequired, sent: Authorization) {
  const { payer, amount: value, validAfter, validBefore, nonce, signature } = sent;
  const authorization = {
    from: checksummed(payer),
    to: checksummed(gig.walletAddress),
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce,
  };
  const paymentPayload = { x402Version: 2, resource, accepted: terms, payload: { signature, authorization } };
  return { x402Version: 2, paymentPayload, paymentRequirements: terms };
}
