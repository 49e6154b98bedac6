import { settingNumber } from './setting-values.ts';

const gas = settingNumber({ min: 0, max: 1_000_000_000_000 }).default(20_000_000);

export const GAS_BUDGET_SETTINGS = { GAS_BUDGET_CLIENT_DAY: gas, GAS_BUDGET_OWNERS_DAY: gas };

export interface GasBudgets {
  /** Gas that the payments of one client's gigs may use in a day; null: no limit. */
  readonly clientGasPerDay: bigint | null;
  /** Gas that the payments of the gigs of all owners together may use in a day; null: no limit. */
  readonly ownersGasPerDay: bigint | null;
}

function limitOf(setting: number): bigint | null {
  return setting === 0 ? null : BigInt(setting);
}

export function gasBudgetsOf(given: Readonly<Record<keyof typeof GAS_BUDGET_SETTINGS, number>>): GasBudgets {
  const { GAS_BUDGET_CLIENT_DAY: client, GAS_BUDGET_OWNERS_DAY: owners } = given;
  return { clientGasPerDay: limitOf(client), ownersGasPerDay: limitOf(owners) };
}
