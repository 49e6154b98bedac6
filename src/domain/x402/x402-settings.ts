import { settingChoice, settingNumber, settingUrl } from '../settings/setting-values.ts';

export const X402_SETTINGS = {
  X402: settingChoice(['true', 'false']).default('false'),
  X402_FACILITATOR_URL: settingUrl.nullable().default(null),
  GAS_BUDGET_X402_DAY: settingNumber({ min: 0, max: 1_000_000_000_000 }).default(20_000_000),
};

interface Given {
  readonly X402: 'true' | 'false';
  readonly X402_FACILITATOR_URL: string | null;
  readonly GAS_BUDGET_X402_DAY: number;
}

/** How gigs are paid for in their creation. */
export interface X402Config {
  readonly isOn: boolean;
  /** No trailing slash; null: the gas tank sends payments. */
  readonly facilitatorUrl: string | null;
  /** Gas that the gas tank may spend on payments for gigs in a day; null: no limit. */
  readonly gasPerDay: bigint | null;
}

export interface X402Setting {
  readonly x402: X402Config;
}

export function x402Of({ X402, X402_FACILITATOR_URL, GAS_BUDGET_X402_DAY }: Given): X402Setting {
  const x402 = Object.freeze({
    isOn: X402 === 'true',
    facilitatorUrl: X402_FACILITATOR_URL,
    gasPerDay: GAS_BUDGET_X402_DAY === 0 ? null : BigInt(GAS_BUDGET_X402_DAY),
  });
  return { x402 };
}
