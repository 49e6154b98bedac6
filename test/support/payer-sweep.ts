import type { ContractPayment } from '../../src/chain/payer/contract/payments.ts';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { bitOf } from '../../src/domain/payments/payment-numbers.ts';
import { freshAddress, fundNative } from './anvil.ts';
import { deployHostileToken } from './payer-contracts.ts';
import { type Gig, type Outcome, openStage, type Stage } from './tip-payer.ts';

const RICH = 10n ** 12n;
const AMOUNT = 10n;

/** What is paid while the gas runs short: a token, one that survives the lack of gas of its own call, native money. */
export const SWEPT_ASSETS = ['Good', 'Swallow', 'native'] as const;
export type SweptAsset = (typeof SWEPT_ASSETS)[number];

/** Gas limits from the least up to, and without, the end. */
export interface GasLimits {
  readonly least: number;
  readonly end: number;
  readonly step: number;
}

/** How many transactions paid everything, and how many nothing. There must be nothing else. */
export interface SweepResult {
  readonly whole: number;
  readonly none: number;
  /** What was neither, in words. */
  readonly violations: string[];
}

interface Asset {
  readonly address: Address;
  fund(wallet: Address): Promise<void>;
  balance(owner: Address): Promise<bigint>;
}

async function assetOf(stage: Stage, kind: SweptAsset): Promise<Asset> {
  if (kind !== 'native') {
    const token = await deployHostileToken(stage, kind);
    return { address: token.address, fund: (wallet) => token.mint(wallet, RICH), balance: token.balance };
  }
  return {
    address: NATIVE_TOKEN_ADDRESS,
    fund: async (wallet) => void (await fundNative(wallet, RICH)),
    balance: (address) => stage.public.getBalance({ address }),
  };
}

/** Two payments of one wallet, whose numbers no other round has. */
function pairOf(asset: Asset, to: Address, round: number): ContractPayment[] {
  return [2 * round, 2 * round + 1].map((number) => ({
    token: asset.address,
    to,
    amount: AMOUNT,
    ...bitOf(BigInt(number)),
  }));
}

async function sweep(
  limits: GasLimits,
  asset: Asset,
  round: (gas: bigint, index: number) => Promise<{ outcome: Outcome; wallets: readonly Gig[]; to: Address }>,
  stage: Stage,
): Promise<SweepResult> {
  const violations: string[] = [];
  let [whole, none] = [0, 0];
  for (let gas = limits.least, index = 0; gas < limits.end; gas += limits.step, index += 1) {
    const { outcome, wallets, to } = await round(BigInt(gas), index);
    const number = BigInt(2 * index);
    const pair = 3n << (number % 256n);
    const marks = await Promise.all(wallets.map(async ({ wallet }) => (await stage.marks(wallet, number)) & pair));
    const received = await asset.balance(to);
    const due = AMOUNT * 2n * BigInt(wallets.length);
    const { succeeded, paid, failed } = outcome;
    const isWhole = succeeded && received === due && marks.every((bits) => bits === pair);
    const isNone = !succeeded && received === 0n && marks.every((bits) => bits === 0n);
    if (isWhole && paid.length === 2 * wallets.length && failed.length === 0) whole += 1;
    else if (isNone) none += 1;
    else violations.push(`gas ${gas}: ${succeeded ? 'success' : 'revert'}, received ${received}, marks ${marks}`);
  }
  return { whole, none, violations };
}

/** Calls a wallet with each of these gas limits. */
export async function sweepDirect(kind: SweptAsset, limits: GasLimits): Promise<SweepResult> {
  const stage = await openStage();
  const [gig, asset] = [await stage.delegated(), await assetOf(stage, kind)];
  await asset.fund(gig.wallet);
  return await sweep(
    limits,
    asset,
    async (gas, index) => {
      const to = freshAddress();
      return { outcome: await stage.pay(gig, pairOf(asset, to, index), { gas }), wallets: [gig], to };
    },
    stage,
  );
}

/** Calls a batch of three wallets with each of these gas limits; each wallet may use more than it needs. */
export async function sweepBatch(kind: SweptAsset, limits: GasLimits): Promise<SweepResult> {
  const stage = await openStage();
  const wallets = [await stage.delegated(), await stage.delegated(), await stage.delegated()];
  const asset = await assetOf(stage, kind);
  for (const { wallet } of wallets) await asset.fund(wallet);
  return await sweep(
    limits,
    asset,
    async (gas, index) => {
      const to = freshAddress();
      const calls = await Promise.all(
        wallets.map(async (gig) => ({
          wallet: gig.wallet,
          gasLimit: 200_000n,
          data: await stage.signed(gig, pairOf(asset, to, index)),
        })),
      );
      return { outcome: await stage.payMany(calls, { gas }), wallets, to };
    },
    stage,
  );
}
