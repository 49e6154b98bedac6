import type { Chain } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { ClaimableGroup } from '../../domain/gigs/tip.ts';
import type { Address, Token } from '../../domain/gigs/token.ts';
import type { PayerChain, PayerChains } from '../../domain/payments/payer-chain.ts';
import { TANK_IS_LOW } from '../../domain/payments/payment.ts';
import { TRANSFERS_IN_RESERVE } from '../../domain/payments/payment-limits.ts';
import { type Log, summarizeError } from '../../log.ts';
import type { ReadContext } from '../context.ts';

/** What the gas tank holds on one chain, in wei. */
export interface TankLevel {
  readonly balance: bigint;
  /** A balance below this is low, in wei. */
  readonly reserve: bigint;
  readonly low: boolean;
}

/** The tank's last known level on one enabled chain; null before the first answer. */
export interface TankStatus {
  readonly chain: Chain;
  readonly level: TankLevel | null;
}

/** The wallet that pays for gas, with its last known balances in memory. */
export interface GasTank {
  readonly address: Address;
  /** Reads its balance on every chain. A chain that does not answer keeps its last balance. */
  look(): Promise<void>;
  standings(): TankStatus[];
}

/** What the tank holds on one chain now. @throws AdapterError when the chain does not answer */
export async function readTank(payer: PayerChain): Promise<TankLevel> {
  const [{ balance }, cost] = await payer.decide(() => Promise.all([payer.tank(), payer.transferCost()]));
  const reserve = TRANSFERS_IN_RESERVE * cost;
  return { balance, reserve, low: balance < reserve };
}

/**
 * Whether an amount is worth less than the gas of so many payments, by what transfers cost when the tank was last seen. Only a
 * chain's own asset has a known worth in gas.
 */
export function isDust(
  gasTank: GasTank | null,
  { token, amount, payments }: { token: Pick<Token, 'chainId' | 'isNative'>; amount: bigint; payments: number },
): boolean {
  const tank = gasTank?.standings().find(({ chain }) => chain.id === token.chainId);
  const reserve = tank?.level?.reserve ?? 0n;
  return token.isNative && amount * TRANSFERS_IN_RESERVE < reserve * BigInt(payments);
}

/** The groups, among these, that are {@link isDust}. */
export function findDust(gasTank: GasTank | null, groups: readonly ClaimableGroup[]): ClaimableGroup[] {
  return groups.filter(({ token, total, gigCount }) => isDust(gasTank, { token, amount: total, payments: gigCount }));
}

/** How many planned payments are asked whether they wait for the gas tank. */
const ASKED = 100;

/** Whether payments wait for a refill of the gas tank, which was low when it was last seen. */
export async function awaitsRefill(deps: ReadContext & { readonly gasTank: GasTank }): Promise<boolean> {
  if (!deps.gasTank.standings().some(({ level }) => level?.low)) return false;
  const planned = await deps.store.payments({ state: 'planned', limit: ASKED });
  return planned.some(({ reason }) => reason === TANK_IS_LOW);
}

/** The {@link GasTank} of the enabled chains. Nothing is sent before the first read. */
export function createGasTank(options: {
  address: Address;
  chains: readonly Chain[];
  payers: PayerChains;
  log: Log;
}): GasTank {
  const { address, chains, payers, log } = options;
  const levels = new Map<number, TankLevel>();

  async function lookAt(chain: Chain): Promise<void> {
    const level = await readTank(payers.payer(chain.id));
    const wasLow = levels.get(chain.id)?.low ?? false;
    levels.set(chain.id, level);
    const fields = { chain: chain.key, gasTank: address, wei: level.balance.toString() };
    if (level.low && !wasLow) log.warn({ ...fields, reserve: level.reserve.toString() }, 'gas tank is low');
    if (!level.low && wasLow) log.info(fields, 'gas tank is filled again');
  }

  return {
    address,
    look: async () => {
      const looks = chains.map(async (chain) => {
        await lookAt(chain).catch((error: unknown) => {
          if (!(error instanceof AdapterError)) throw error;
          log.warn({ chain: chain.key, error: summarizeError(error) }, 'cannot read gas tank balance');
        });
      });
      await Promise.all(looks);
    },
    standings: () => chains.map((chain) => ({ chain, level: levels.get(chain.id) ?? null })),
  };
}
