import {
  type Hex,
  hashTypedData,
  hexToBigInt,
  numberToHex,
  padHex,
  parseSignature,
  signatureToCompactSignature,
} from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { TIP_PAYER } from '../../../../src/chain/payer/contract/artifact.ts';
import { encodePay } from '../../../../src/chain/payer/contract/calls.ts';
import type { ContractPayment } from '../../../../src/chain/payer/contract/payments.ts';
import { type CompactSignature, payDigest, signPay } from '../../../../src/chain/payer/contract/signature.ts';
import type { Address } from '../../../../src/domain/gigs/token.ts';
import { bitOf } from '../../../../src/domain/payments/payment-numbers.ts';
import { freshAddress } from '../../../support/anvil.ts';
import { CHAIN_ID, type Gig, gigOf } from '../../../support/tip-payer.ts';
import { openScene, refusalOf, type Scene } from './setup.ts';

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const PARITY = 2n ** 255n;

let stage: Scene['stage'];
let token: Scene['token'];
let gig: Gig;
let payment: ContractPayment;

beforeAll(async () => {
  const scene = await openScene();
  ({ stage, token } = scene);
  gig = await scene.fundedGig();
  payment = scene.tip(5n, freshAddress());
});

/** Why the wallet refuses payments with this signature; null when it would make them. */
async function refusal(payments: readonly ContractPayment[], signature: CompactSignature) {
  return (await refusalOf(stage, { to: gig.wallet, data: encodePay(payments, signature) }))?.kind ?? null;
}

async function own(payments = [payment], chainId = CHAIN_ID): Promise<CompactSignature> {
  return await signPay(gig.account, { chainId, wallet: gig.wallet, payments });
}

/** What EIP-712 has the wallet sign for these bytes of payments, by hand. */
function typedData(bytes: Hex, contract: Address = TIP_PAYER.address) {
  return {
    domain: { chainId: CHAIN_ID, verifyingContract: gig.wallet, salt: padHex(contract) },
    types: { Pay: [{ name: 'payments', type: 'bytes' }] },
    primaryType: 'Pay',
    message: { payments: bytes },
  } as const;
}

describe('the signature', () => {
  test('behavior: of the wallet, for this chain, wallet and contract, is accepted', async () => {
    expect(await refusal([payment], await own())).toBeNull();
  });

  test('behavior: its digest is that of EIP-712, by hand', () => {
    const word = (value: bigint | Hex) => numberToHex(BigInt(value), { size: 32 }).slice(2);
    const { token: asset, to, amount, word: index, bits } = payment;
    const bytes = `0x${word(asset)}${word(to)}${word(amount)}${word(index)}${word(bits)}` as const;
    const digest = hashTypedData(typedData(bytes));
    expect(payDigest({ chainId: CHAIN_ID, wallet: gig.wallet, payments: [payment] })).toBe(digest);
  });

  test('security: of another key is refused', async () => {
    const other = gigOf();
    const terms = { chainId: CHAIN_ID, wallet: other.wallet, payments: [payment] };
    expect(await refusal([payment], await signPay(other.account, terms))).toBe('bad_signature');
    // The same digest, signed by the wrong key.
    const signed = await other.account.sign({ hash: payDigest({ ...terms, wallet: gig.wallet }) });
    const [r, s] = [signed.slice(0, 66) as Hex, hexToBigInt(`0x${signed.slice(66, 130)}`)];
    for (const parity of [0n, PARITY]) {
      const vs = numberToHex(s | parity, { size: 32 });
      expect(await refusal([payment], { r, vs })).toBe('bad_signature');
    }
  });

  test.each([
    ['token', { token: '0x1111111111111111111111111111111111111111' }],
    ['recipient', { to: '0x2222222222222222222222222222222222222222' }],
    ['amount', { amount: 11n }],
    ['word', { word: 1n }],
    ['bits', { bits: 64n }],
  ] as const)('security: with another %s is refused', async (_field, change) => {
    expect(await refusal([{ ...payment, ...change }], await own())).toBe('bad_signature');
  });

  test('security: with one payment more, one less or two exchanged is refused', async () => {
    const second = { ...payment, ...bitOf(6n) };
    const payments = [payment, second];
    const signature = await own(payments);
    expect(await refusal(payments, signature)).toBeNull();
    for (const others of [[second, payment], [payment], [], [...payments, { ...payment, ...bitOf(7n) }]]) {
      expect(await refusal(others, signature)).toBe('bad_signature');
    }
  });

  test('security: for another chain is refused', async () => {
    expect(await refusal([payment], await own([payment], 8453))).toBe('bad_signature');
  });

  test('security: of a wallet is nothing for another wallet', async () => {
    const other = await stage.delegated();
    await token.mint(other.wallet, 10n);
    const call = { to: other.wallet, data: encodePay([payment], await own()) };
    expect(await refusalOf(stage, call)).toEqual({ kind: 'bad_signature' });
  });

  test('security: for another implementation is refused', async () => {
    const signed = await gig.account.signTypedData(typedData('0x', freshAddress()));
    const { r, yParityAndS: vs } = signatureToCompactSignature(parseSignature(signed));
    expect(await refusal([], { r, vs })).toBe('bad_signature');
    // The same is accepted for the contract itself.
    const own = signatureToCompactSignature(parseSignature(await gig.account.signTypedData(typedData('0x'))));
    expect(await refusal([], { r: own.r, vs: own.yParityAndS })).toBeNull();
  });

  test('security: of nothing is no signature', async () => {
    for (const number of [0n, 2n ** 256n - 1n]) {
      const word = numberToHex(number, { size: 32 });
      expect(await refusal([payment], { r: word, vs: word })).toBe('bad_signature');
    }
  });

  test('security: its second form is refused where it can be written, and would pay nothing twice', async () => {
    const { r, vs } = await own();
    const s = hexToBigInt(vs) % PARITY;
    const high = ORDER - s;
    // EIP-2098 has 255 bits for s: nearly every high one does not fit, and is then another number.
    for (const parity of [0n, PARITY]) {
      const other = { r, vs: numberToHex((high % PARITY) | parity, { size: 32 }) };
      expect(await refusal([payment], other)).toBe('bad_signature');
    }
  });

  test('security: calldata that is no list of payments is refused', async () => {
    const good = await stage.signed(gig, [payment]);
    for (const data of [good.slice(0, -64), good.slice(0, 10), `${good.slice(0, 10)}${'f'.repeat(good.length - 10)}`]) {
      // The slices keep the prefix.
      expect(await stage.revertOf({ to: gig.wallet, data: data as Hex })).toBe('0x');
    }
  });

  test('security: an address with more than 20 bytes is refused, even when it was signed so', async () => {
    const words = [BigInt(token.address) | (2n ** 200n), BigInt(payment.to), 10n, 0n, 32n];
    const list = words.map((word) => numberToHex(word, { size: 32 }).slice(2)).join('');
    const signature = await gig.account.signTypedData(typedData(`0x${list}`));
    const { r, yParityAndS: vs } = signatureToCompactSignature(parseSignature(signature));
    // Calldata of no payments, with a list of one in place of the empty list at its end.
    const head = encodePay([], { r, vs }).slice(0, -64);
    const data = `${head}${'1'.padStart(64, '0')}${list}` as const;
    // Solidity refuses it without a reason; with another signature the digest would have been refused before.
    expect(await stage.revertOf({ to: gig.wallet, data: data as Hex })).toBe('0x');
    const unsigned = data.replace(r.slice(2), vs.slice(2)) as Hex;
    expect(await refusalOf(stage, { to: gig.wallet, data: unsigned })).toEqual({ kind: 'bad_signature' });
  });
});
