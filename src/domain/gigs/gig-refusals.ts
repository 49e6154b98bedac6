import { formatAmount } from '../amount.ts';
import { amountOf, MARK_LENGTH, type Measure } from '../mentions/reply-text.ts';
import { REPLY_WORTH } from '../mentions/reply-worth.ts';
import { GIG_ACTS, type GigAct } from '../operators/actor.ts';
import { refusalRow, waitHeader } from '../refusal-row.ts';
import { MINUTE_MS, minuteText } from '../time.ts';
import type { Funding } from './gig.ts';
import type { ClosedBecause } from './gig-end.ts';
import { checksummed } from './token.ts';

interface OfGig {
  readonly gigId: number;
}

type OfAct = OfGig & { readonly act: GigAct };
/** Epoch milliseconds. */
type OfWait = OfAct & { readonly until: number };
type OfFunding = OfGig & { readonly funding: Funding };
type OfWhy<Why> = OfGig & { readonly why: Why };
type OfPhase<Phase> = OfGig & { readonly phase: Phase };
type OfToken = { readonly address: string; readonly chainKey: string };
/** Decimal text in whole tokens. */
type OfRest = OfGig & { readonly left: string; readonly symbol: string };

/** Seconds after which a start or a change by another request is over. */
const PROGRESS_SECONDS = 5;

/** Why a gig takes no awards now, in words that follow its name. */
const CLOSED = {
  created: 'is not live',
  cancelled: 'is cancelled',
  scheduled: 'is live, but its window has not begun',
  ended: 'has ended',
  settled: 'is settled: no more tips are awarded',
} as const satisfies Record<ClosedBecause, string>;

const CANCEL = 'To end it, mention me with "cancel gig" and its number';

/** Why a gig that is not live cannot be stopped, in words that follow its name. */
const NOT_STOPPABLE = {
  created: {
    api: 'is not live: cancel it instead',
    cli: 'has not started; gig cancel ends it',
    bot: `has not started, so there is nothing to stop. ${CANCEL}`,
  },
  cancelled: { api: 'is cancelled', cli: 'is cancelled already', bot: 'is cancelled' },
  ended: { api: 'has ended', cli: 'has ended already', bot: 'has ended already' },
} as const;

/** Why a gig cannot be settled now, in words that follow its name. */
const NOT_SETTLEABLE = {
  created: {
    api: 'is not live: cancel it instead',
    cli: 'has not started; gig cancel ends it',
    bot: `has not started, so there is nothing to settle. ${CANCEL}`,
  },
  cancelled: { api: 'is cancelled', cli: 'is cancelled', bot: 'is cancelled' },
  running: {
    api: 'has not ended: stop it first',
    cli: 'has not ended; gig stop ends it now',
    bot: 'has not ended. To end it now, mention me with "stop gig" and its number',
  },
  /** Accounts, shares or acts of it are not decided on. */
  undecided: {
    api: 'cannot be settled yet: some of its accounts, shares or acts are undecided',
    cli: 'cannot be settled yet: some of its accounts, shares or acts are undecided; see gig earnings #',
    bot: 'cannot be settled yet: some accounts still wait for a decision',
  },
  settled: { api: 'is settled already', cli: 'is settled already', bot: 'is settled already' },
} as const;

/** Why a gig cannot be settled now. */
export type Unsettleable = keyof typeof NOT_SETTLEABLE;

function fundingDetails({ expected, actual, token, chain, walletAddress }: Funding): string[] {
  const amount = (units: bigint) => `${formatAmount(units, token.decimals)} ${token.symbol}`;
  return [
    `Expected amount: ${amount(expected)}`,
    `Actual amount: ${amount(actual)}`,
    `Token Address: ${checksummed(token.address)}`,
    `Chain: ${chain.key}`,
    `Chain id: ${chain.id}`,
    `Gig wallet address: ${checksummed(walletAddress)}`,
  ];
}

function notFundedReply({ gigId, funding }: OfFunding, measure: Measure): string {
  const { expected, actual, token, chain, walletAddress } = funding;
  const amount = (units: bigint) => formatAmount(units, token.decimals);
  const state = `Gig ${gigId} is not funded: it needs exactly ${amountOf(expected, token)} and holds ${amount(actual)}`;
  const where = `token ${checksummed(token.address)} on ${chain.key} (chain id ${chain.id}), gig wallet ${checksummed(walletAddress)}`;
  const full =
    actual < expected
      ? `${state}. Send ${amount(expected - actual)} more: ${where}.`
      : `${state}, ${amount(actual - expected)} too much. Its page names the reward that fits. For a full refund, mention me with "cancel gig ${gigId}".`;
  return measure.measure(full) <= measure.replyLimit - MARK_LENGTH ? full : `${state}: ${where}.`;
}

function onlyOwner({ gigId }: OfGig): string {
  return `Only an owner of gig ${gigId} may do that.`;
}

/** What is refused of gigs, their terms, tips and wallets. */
export const GIG_REFUSALS = {
  gig_not_found: refusalRow<OfGig>(404, 'There is no such gig, or it is another client’s', {
    api: ({ gigId }) => `Gig with id ${gigId} not found`,
    cli: ({ gigId }) => `There is no gig ${gigId}; see gig list.`,
    bot: ({ gigId }) => `There is no gig ${gigId}.`,
    worth: REPLY_WORTH.help,
  }),
  chain_not_found: refusalRow(404, 'There is no such chain, or the service does not use it', {
    api: 'Chain not found',
    cli: 'There is no such chain; CHAINS names the enabled ones.',
  }),
  token_not_found: refusalRow<OfToken>(404, 'There is no token at this address of the chain', {
    api: ({ address, chainKey }) => `Token with address ${address} not found on chain ${chainKey}`,
    cli: ({ address, chainKey }) =>
      `There is no ERC-20 token at ${address} on ${chainKey}; check the address and the chain.`,
  }),
  gig_already_live: refusalRow<OfGig>(400, 'The gig is live, which the operation does not allow', {
    api: 'Gig is already live',
    cli: ({ gigId }) => `Gig ${gigId} is live already.`,
    bot: ({ gigId }) => `Gig ${gigId} is already live.`,
  }),
  /** What only a gig before its start takes was asked of one that was live and is over. */
  gig_ended: refusalRow<OfGig>(400, 'The gig was live and has ended', {
    api: ({ gigId }) => `Gig with id ${gigId} has ended`,
    cli: ({ gigId }) => `Gig ${gigId} has ended already.`,
    bot: ({ gigId }) => `Gig ${gigId} has ended already.`,
  }),
  gig_cancelled: refusalRow<OfGig>(400, 'The gig is cancelled', {
    api: ({ gigId }) => `Gig with id ${gigId} is cancelled`,
    cli: ({ gigId }) => `Gig ${gigId} is cancelled.`,
    bot: ({ gigId }) => `Gig ${gigId} is cancelled.`,
  }),
  gig_in_progress: refusalRow<OfGig>(409, 'Another request starts or changes the gig', {
    api: ({ gigId }) => `Gig with id ${gigId} is currently being processed`,
    headers: () => waitHeader(PROGRESS_SECONDS),
    cli: ({ gigId }) => `Gig ${gigId} is being started at this moment; try again in a minute.`,
    bot: ({ gigId }) => `Gig ${gigId} is being processed right now. Try again in a minute.`,
  }),
  gig_not_funded: refusalRow<OfFunding>(400, 'The gig’s wallet does not hold exactly what the gig needs', {
    api: ({ gigId }) => `Gig with id ${gigId} is not funded`,
    body: ({ funding }, message) => ({ error: { message, details: fundingDetails(funding) } }),
    cli: ({ gigId }) => `Gig ${gigId} is not funded; see gig show ${gigId}.`,
    bot: notFundedReply,
  }),
  not_gig_owner: refusalRow<OfAct>(403, 'The account does not own the gig', {
    api: ({ gigId, act }) => `Only an owner of gig with id ${gigId} may ${GIG_ACTS[act].words} it`,
    cli: onlyOwner,
    bot: ({ gigId, act }) => `Only an owner of gig ${gigId} can ${GIG_ACTS[act].words} it.`,
    worth: REPLY_WORTH.help,
  }),
  owners_may_not: refusalRow<OfAct>(403, 'The gig’s client does not let its owners do this in the browser', {
    api: ({ gigId, act }) =>
      `The client of gig with id ${gigId} does not let its owners ${GIG_ACTS[act].words} it: owners_may_award is false`,
    person: ({ gigId, act }) =>
      `You can't ${GIG_ACTS[act].words} gig ${gigId}: the client that created it doesn't let its owners do that.`,
    cli: onlyOwner,
  }),
  session_too_new: refusalRow<OfWait>(403, 'A session of an account may not do this in its first 10 minutes', {
    api: ({ gigId, act }) =>
      `Wait until 10 minutes after you signed in: then you can ${GIG_ACTS[act].words} gig with id ${gigId}`,
    person: ({ gigId, act, until }) =>
      `You can ${GIG_ACTS[act].words} gig ${gigId} from ${minuteText(Math.ceil(until / MINUTE_MS) * MINUTE_MS)}, 10 minutes after your sign-in.`,
    cli: onlyOwner,
  }),
  gig_not_running: refusalRow<OfPhase<ClosedBecause>>(400, 'The gig has not started, or its award period is over', {
    api: ({ gigId, phase }) => `Gig with id ${gigId} ${CLOSED[phase]}`,
    cli: ({ gigId, phase }) => `Gig ${gigId} ${CLOSED[phase]}.`,
    bot: ({ gigId, phase }) => `Gig ${gigId} ${CLOSED[phase]}.`,
  }),
  gig_not_stoppable: refusalRow<OfPhase<keyof typeof NOT_STOPPABLE>>(400, 'The gig is not live', {
    api: ({ gigId, phase }) => `Gig with id ${gigId} ${NOT_STOPPABLE[phase].api}`,
    cli: ({ gigId, phase }) => `Gig ${gigId} ${NOT_STOPPABLE[phase].cli}.`,
    bot: ({ gigId, phase }) => `Gig ${gigId} ${NOT_STOPPABLE[phase].bot}.`,
  }),
  gig_not_settleable: refusalRow<OfWhy<Unsettleable>>(
    400,
    'The gig has not ended, is settled, or is not fully decided',
    {
      api: ({ gigId, why }) => `Gig with id ${gigId} ${NOT_SETTLEABLE[why].api}`,
      cli: ({ gigId, why }) => `Gig ${gigId} ${NOT_SETTLEABLE[why].cli.replace('#', String(gigId))}.`,
      bot: ({ gigId, why }) => `Gig ${gigId} ${NOT_SETTLEABLE[why].bot}.`,
    },
  ),
  tips_by_rules_only: refusalRow<OfGig>(400, 'The gig awards tips by its rules alone', {
    api: ({ gigId }) => `Gig with id ${gigId} awards tips by its rules alone: their tips_by_request is false`,
    person: ({ gigId }) => `Gig ${gigId} awards tips by its rules only: you can't award them yourself.`,
    cli: ({ gigId }) => `Gig ${gigId} awards tips by its rules alone.`,
  }),
  reward_exceeded: refusalRow<OfRest>(400, 'The tips exceed what is left of the gig’s reward', {
    api: ({ gigId, left, symbol }) => `The tips exceed the reward of gig with id ${gigId}: ${left} ${symbol} are left`,
    cli: ({ gigId, left, symbol }) => `Gig ${gigId} has ${left} ${symbol} left to award.`,
  }),
  wallets_off: refusalRow(503, 'The operator has not configured wallets for gigs', {
    api: 'Gig wallets are turned off: the operator has not set GIG_WALLET_MNEMONIC',
    person: 'New gigs and payments are turned off here at the moment.',
    cli: 'This needs the wallets of gigs: set GIG_WALLET_MNEMONIC, as the service has it, in .env or in the environment.',
    bot: 'Payments are turned off here at the moment.',
  }),
};
