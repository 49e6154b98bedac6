import type { Account } from '../account.ts';
import { formatAmount } from '../amount.ts';
import { AdapterError } from '../errors.ts';
import { type Gig, gigPhase, type ReadFunding, requiredFunds } from '../gigs/gig.ts';
import { awardsUntil, refundRecipient } from '../gigs/gig-end.ts';
import { checksummed } from '../gigs/token.ts';
import { isoText } from '../time.ts';
import { accountJson, type Fact, fact, momentOr, type Piece, type Told, textOr, tokenJson, tokenTold } from './fact.ts';

export interface ListedGig {
  readonly gig: Gig;
  readonly owners: readonly Account[];
  readonly now: number;
}

export interface ShownGig extends ListedGig {
  /** What its wallet holds, or why that is unknown. */
  readonly funding: ReadFunding | AdapterError;
  /** Why it is frozen; null when it is not. */
  readonly frozen: string | null;
}

function ownersTold(owners: readonly Account[]): Told {
  if (owners.length === 0) return ['none: add one with ', { command: 'gig owner add' }];
  return owners.flatMap((account, index): Piece[] => (index === 0 ? [{ account }] : [', ', { account }]));
}

function fundingTold({ gig, funding }: ShownGig): Told {
  if (funding instanceof AdapterError) return { problem: ['unknown: ', { foreign: funding.message }] };
  const { expected, actual, token: of, blockNumber, paidBefore } = funding;
  const paid = paidBefore?.amount ?? 0n;
  const spent: Piece[] = paid === 0n ? [] : [', after it paid ', { amount: paid, of }];
  const held: Piece[] = [{ amount: actual - paid, of }, ` at block ${blockNumber}`, ...spent];
  // After the start the wallet pays tips and the fee, so its balance cannot be compared.
  if (gig.status === 'live') return held;
  if (actual === expected) return [...held, ': exactly what it needs to start'];
  return actual < expected
    ? [...held, ': ', { amount: expected - actual, of }, ' are missing']
    : [...held, ': ', { amount: actual - expected, of }, ' are too much'];
}

function fundingJson(funding: ReadFunding | AdapterError) {
  if (funding instanceof AdapterError) return null;
  const { expected, actual, blockNumber, token, paidBefore } = funding;
  return {
    required: formatAmount(expected, token.decimals),
    held: formatAmount(actual - (paidBefore?.amount ?? 0n), token.decimals),
    exact: expected === actual,
    block_number: Number(blockNumber),
  };
}

function awardDaysTold({ gig }: ListedGig): Told {
  const { awardDays: days, status } = gig;
  if (days === 0) return '0: awards end with the gig';
  return status === 'live' ? [`${days}: until `, { moment: awardsUntil(gig) }] : String(days);
}

function recipientTold({ gig }: OfGig): Told {
  const address = refundRecipient(gig);
  if (address === null) return { problem: ['not set: name it with ', { command: `gig refund ${gig.id} --to` }] };
  if (gig.refundAddress === null) return [{ address }, ', as the operator said'];
  return gig.refundName === null ? { address } : [{ address }, ', given as ', { foreign: gig.refundName }];
}

/** The state of a gig, which its page has in the heading. */
export const GIG_STATE = fact<ListedGig>('state', ({ gig, now }) => gigPhase(gig, now), { json: 'state' });

/** Why a gig is frozen, which its page has above all. */
export const GIG_FREEZE = fact<ShownGig>(
  'payments',
  ({ frozen }) => (frozen === null ? null : ['frozen: ', { foreign: frozen }]),
  { json: ({ frozen }) => ({ frozen }) },
);

type OfGig = { readonly gig: Gig };

const REWARD = fact<OfGig>('reward', ({ gig }) => ({ amount: gig.rewardAmount, of: gig.token }), { json: 'reward' });
const FEE = fact<OfGig>('fee', ({ gig }) => ({ amount: gig.feeAmount, of: gig.token }), { json: 'fee' });
const AWARDED = fact<OfGig>('awarded', ({ gig }) => ({ amount: gig.awardedAmount, of: gig.token }), {
  json: 'awarded',
});

/** What a gig was funded for, and what of it is awarded. */
export const REWARD_FACTS: readonly Fact<OfGig>[] = [REWARD, FEE, AWARDED];

const TITLE = fact<OfGig>('title', ({ gig }) => (gig.title === null ? null : { foreign: gig.title }), {
  json: 'title',
});

const MONEY: readonly Fact<ListedGig>[] = [
  REWARD,
  FEE,
  fact('required', ({ gig }) => ({ amount: requiredFunds(gig), of: gig.token }), { json: 'required' }),
  AWARDED,
];

const IN_THE_WALLET = fact<ShownGig>('in the wallet', fundingTold, {
  json: ({ funding }) => ({ funding: fundingJson(funding) }),
});

function startTold({ gig: { start, startUntil, startRefusal, status, cancelledAt } }: ListedGig): Told {
  if (start === 'on_request') return 'on request';
  if (status === 'live' || cancelledAt !== null) return 'when funded';
  if (startUntil === null) return { problem: 'when funded, but its wallet is no longer checked' };
  const until: Piece[] = ['when funded; its wallet is checked until ', { moment: startUntil }];
  if (startRefusal === null) return until;
  return [
    ...until,
    '; ',
    { problem: `the last try was refused with ${startRefusal}, the next one follows within 10 minutes` },
  ];
}

const ORIGIN: readonly Fact<ListedGig>[] = [
  fact('start', startTold, {
    json: ({ gig }) => ({
      start: gig.start,
      start_until: isoText(gig.startUntil),
      start_refusal: gig.startRefusal,
    }),
  }),
  fact('starts', ({ gig }) => ({ moment: gig.startTime }), { json: 'start_time' }),
  fact('ends', ({ gig }) => ({ moment: gig.endTime }), { json: 'end_time' }),
  fact(
    'client',
    ({ gig: { client } }) =>
      client === null ? 'none: only a key with the scope operator can access it' : { foreign: client },
    { json: ({ gig }) => ({ client: gig.client }) },
  ),
  fact('created by', ({ gig: { createdBy: id } }) => (id === null ? 'unknown' : { record: 'key', id }), {
    json: ({ gig }) => ({ created_by: gig.createdBy }),
  }),
  fact('platform', ({ gig }) => ({ platform: gig.platform }), { json: 'platform' }),
  fact('type', ({ gig }) => gig.gigType.replaceAll('_', ' '), { json: ({ gig }) => ({ type: gig.gigType }) }),
  fact('owners', ({ owners }) => ownersTold(owners), { json: ({ owners }) => ({ owners: owners.map(accountJson) }) }),
  fact('owners may award', ({ gig }) => (gig.ownersMayAward ? 'yes' : 'no'), {
    json: ({ gig }) => ({ owners_may_award: gig.ownersMayAward }),
  }),
  fact('token', ({ gig }) => tokenTold(gig.token), { json: ({ gig }) => tokenJson(gig.token) }),
  fact('wallet', ({ gig }) => ({ address: gig.walletAddress }), { json: 'wallet_address' }),
  fact('created', ({ gig }) => ({ moment: gig.createdAt }), { json: 'created_at' }),
];

const WORDS: readonly Fact<ListedGig>[] = [
  fact('how to earn', ({ gig }) => textOr(gig.howToEarn), { json: 'how_to_earn' }),
  fact('criteria', ({ gig }) => textOr(gig.earningCriteria), { json: 'earning_criteria' }),
  fact('post', ({ gig }) => textOr(gig.externalUrl), { json: 'external_url' }),
  fact('verifier', ({ gig }) => textOr(gig.verifier), { json: 'verifier' }),
];

/** What lists of gigs tell in JSON. */
export const LISTED_GIG_FACTS: readonly Fact<ListedGig>[] = [GIG_STATE, TITLE, ...MONEY, ...ORIGIN];

/** The facts of a gig, without its state and its end. */
export const GIG_FACTS: readonly Fact<ShownGig>[] = [TITLE, ...MONEY, IN_THE_WALLET, ...ORIGIN, ...WORDS];

export const REFUND_TO = fact<OfGig>('refund to', recipientTold, {
  json: ({ gig }) => {
    const recipient = refundRecipient(gig);
    return { refund_address: recipient && checksummed(recipient) };
  },
});

/** How a gig is ended, without its refund. */
export const ENDING_FACTS: readonly Fact<ListedGig>[] = [
  fact('award days', awardDaysTold, {
    json: ({ gig }) => ({
      award_days: gig.awardDays,
      awards_until: gig.status === 'live' ? isoText(awardsUntil(gig)) : null,
    }),
  }),
  fact('stopped', ({ gig }) => momentOr(gig.stoppedAt), { json: 'stopped_at' }),
  fact('settled', ({ gig }) => momentOr(gig.settledAt), { json: 'settled_at' }),
  fact('cancelled', ({ gig }) => momentOr(gig.cancelledAt), { json: 'cancelled_at' }),
];

export const GIG_END_FACTS: readonly Fact<ListedGig>[] = [
  ...ENDING_FACTS,
  REFUND_TO,
  fact('refund planned', ({ gig }) => momentOr(gig.refundedAt), { json: 'refunded_at' }),
];
