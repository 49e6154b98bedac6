import type { z } from 'zod';
import type { ReplyLimits } from '../mentions/reply-limits.ts';
import { settingNumber } from './setting-values.ts';

/** How much one client, account or thread may take. */
export interface Limits {
  /** Gas that the payments of one client's gigs may use in a day; null: no limit. */
  readonly clientGasPerDay: bigint | null;
  /** Gas that the payments of the gigs of all owners together may use in a day; null: no limit. */
  readonly ownersGasPerDay: bigint | null;
  /** Requests per minute and client, on `/api/*` and for pages together. */
  readonly rateLimitPerMinute: number;
  /** `POST /api/claim`: requests per minute for one client, and for all clients together. */
  readonly claimLimits: { readonly client: number; readonly inAll: number };
  readonly replyLimits: ReplyLimits;
}

const MOST_REQUESTS = 1_000_000_000;
const MOST_REPLIES = 1_000_000;

const gas = settingNumber({ min: 0, max: 1_000_000_000_000 }).default(20_000_000);

export const LIMIT_SETTINGS = {
  GAS_BUDGET_CLIENT_DAY: gas,
  GAS_BUDGET_OWNERS_DAY: gas,
  RATE_LIMIT_PER_MINUTE: settingNumber({ min: 1, max: MOST_REQUESTS }).default(100),
  CLAIM_RATE_LIMIT_PER_MINUTE: settingNumber({ min: 1, max: MOST_REQUESTS }).default(10),
  CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: settingNumber({ min: 1, max: MOST_REQUESTS }).default(30),
  REPLIES_PER_AUTHOR_HOUR: settingNumber({ min: 1, max: MOST_REPLIES }).default(10),
  REPLIES_PER_THREAD_HOUR: settingNumber({ min: 1, max: MOST_REPLIES }).default(5),
};

type Read = { readonly [Name in keyof typeof LIMIT_SETTINGS]: z.output<(typeof LIMIT_SETTINGS)[Name]> };

function gasOf(setting: number): bigint | null {
  return setting === 0 ? null : BigInt(setting);
}

export function limitsOf(read: Read): Limits {
  const { CLAIM_RATE_LIMIT_PER_MINUTE: client, CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: inAll } = read;
  const { REPLIES_PER_AUTHOR_HOUR: perAuthor, REPLIES_PER_THREAD_HOUR: perThread } = read;
  return {
    clientGasPerDay: gasOf(read.GAS_BUDGET_CLIENT_DAY),
    ownersGasPerDay: gasOf(read.GAS_BUDGET_OWNERS_DAY),
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
    claimLimits: Object.freeze({ client, inAll }),
    replyLimits: Object.freeze({ perAuthor, perThread }),
  };
}
