import { expect, test } from 'vitest';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { paymentCall, paymentUri } from '../../../src/domain/payments/payment-uri.ts';

const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

test('behavior: a payment of a token is a transfer on its chain, in base units', () => {
  const token = { address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed', chainId: 8453, isNative: false } as const;
  expect(paymentUri(token, { to: TO, amount: 105_000_000_000_000_000_000n })).toBe(
    'ethereum:0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed@8453/transfer?address=0x70997970C51812dc3A010C7d01b50e0d17dc79C8&uint256=105000000000000000000',
  );
});

test('behavior: a payment of the native asset is a value', () => {
  const native = { address: NATIVE_TOKEN_ADDRESS, chainId: 10, isNative: true };
  expect(paymentUri(native, { to: TO, amount: 1n })).toBe(
    'ethereum:0x70997970C51812dc3A010C7d01b50e0d17dc79C8@10?value=1',
  );
});

test('behavior: as a transaction a token’s payment calls its transfer, and the native asset’s is its value', () => {
  const token = { address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed', isNative: false } as const;
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  expect(paymentCall(token, { to: TO, amount: 255n })).toEqual({
    to: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
    value: 0n,
    data: `0xa9059cbb${TO.slice(2).padStart(64, '0')}${'ff'.padStart(64, '0')}`,
  });
  const native = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
  expect(paymentCall(native, { to: TO, amount: 255n })).toEqual({ to, value: 255n, data: null });
});
