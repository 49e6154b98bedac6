import { PaymentPayloadV2Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { findPaymentFault, MOST_SECONDS } from '../../../src/domain/x402/payment-fault.ts';
import { headerText, readPayment, requiredFor, settleRequest, termsOf } from '../../../src/domain/x402/payment-json.ts';
import { isUsdc } from '../../../src/domain/x402/usdc.ts';

const TOKEN = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const PAYER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const DOMAIN = { name: 'USD Coin', version: '2' };
const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1_000;

// What is read of a gig here.
const gig = {
  id: 42,
  rewardAmount: 100_000_000n,
  feeAmount: 5_000_000n,
  walletAddress: WALLET,
  token: { address: TOKEN, chainId: 8453, symbol: 'USDC' },
} as unknown as Gig;

function sent(changed: { accepted?: object; authorization?: object; signature?: string } = {}) {
  return {
    x402Version: 2,
    accepted: { ...termsOf(gig, DOMAIN), ...changed.accepted },
    payload: {
      signature: changed.signature ?? `0x${'ab'.repeat(65)}`,
      authorization: {
        from: PAYER,
        to: WALLET,
        value: '105000000',
        validAfter: String(SECONDS - 600),
        validBefore: String(SECONDS + 300),
        nonce: `0x${'1'.repeat(64)}`,
        ...changed.authorization,
      },
    },
  };
}

const header = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

function faultOf(changed: Parameters<typeof sent>[0]) {
  const payment = readPayment(header(sent(changed)));
  return payment && findPaymentFault(payment, { gig, domain: DOMAIN, at: NOW, now: NOW });
}

describe('what a gig asks for', () => {
  test('behavior: is read by the library of x402, with the whole funding for the gig’s own wallet', () => {
    const required = requiredFor({ url: 'https://gigs.example/x' }, { gig, domain: DOMAIN }, 'why');
    expect(PaymentRequiredV2Schema.parse(required)).toMatchObject({
      x402Version: 2,
      error: 'why',
      resource: { url: 'https://gigs.example/x', description: 'Gig 42, funded in USDC on Base' },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '105000000',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
          maxTimeoutSeconds: 300,
          extra: DOMAIN,
        },
      ],
      extensions: { gig: { info: { gig_id: 42 } } },
    });
    expect(JSON.parse(Buffer.from(headerText(required), 'base64').toString())).toEqual(required);
  });

  test('behavior: a facilitator gets what its library reads', () => {
    const required = requiredFor({ url: 'https://gigs.example/x' }, { gig, domain: DOMAIN }, '');
    const payment = readPayment(header(sent()));
    if (payment === null) throw new Error('it cannot be read');
    const { paymentPayload } = settleRequest(gig, termsOf(gig, DOMAIN), required, payment.authorization);
    expect(PaymentPayloadV2Schema.parse(paymentPayload)).toMatchObject({
      x402Version: 2,
      payload: { signature: sent().payload.signature },
    });
    expect(paymentPayload.payload.authorization).toMatchObject({ value: '105000000', to: termsOf(gig, DOMAIN).payTo });
  });

  test('behavior: the USDC of a chain is known by its address alone', () => {
    expect(isUsdc({ chainId: 8453, address: TOKEN })).toBe(true);
    expect(isUsdc({ chainId: 10, address: TOKEN })).toBe(false);
  });
});

describe('what is sent', () => {
  test('behavior: is the gig’s payment', () => {
    expect(faultOf({})).toBeNull();
  });

  test.for([
    ['invalid_exact_evm_scheme', { accepted: { scheme: 'upto' } }],
    ['invalid_exact_evm_network_mismatch', { accepted: { network: 'eip155:1' } }],
    ['invalid_exact_evm_missing_eip712_domain', { accepted: { asset: PAYER } }],
    ['invalid_exact_evm_recipient_mismatch', { authorization: { to: PAYER } }],
    ['invalid_exact_evm_payload_authorization_value_mismatch', { authorization: { value: '105000001' } }],
    ['invalid_exact_evm_payload_authorization_value_mismatch', { accepted: { amount: '1' } }],
    ['invalid_exact_evm_payload_authorization_valid_after', { authorization: { validAfter: String(SECONDS) } }],
    ['invalid_exact_evm_payload_authorization_valid_before', { authorization: { validBefore: String(SECONDS + 5) } }],
    [
      'invalid_exact_evm_payload_authorization_valid_before',
      { authorization: { validBefore: String(SECONDS + MOST_SECONDS + 1) } },
    ],
    ['invalid_exact_evm_payload_authorization_valid_before', { authorization: { validBefore: '9'.repeat(70) } }],
  ] as const)('security: is refused as %s', ([fault, changed]) => {
    expect(faultOf(changed)).toBe(fault);
  });

  test.for([
    '',
    '%',
    header('text'),
    header({ ...sent(), x402Version: 1 }),
    header(sent({ signature: '0x' })),
    header(sent({ signature: `0x${'ab'.repeat(3_000)}` })),
    header(sent({ authorization: { value: '-1' } })),
    header(sent({ authorization: { value: 105_000_000 } })),
    header(sent({ authorization: { nonce: '0x1' } })),
    `${header(sent())}${' '.repeat(20_000)}`,
  ])('security: is no payment (case %#)', (text) => {
    expect(readPayment(text)).toBeNull();
  });
});
