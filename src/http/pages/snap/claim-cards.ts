import { explorerLink } from '../../../domain/chains/chain.ts';
import { type ClaimStatus, claimOutcome, type Payout, payoutsOf } from '../../../domain/claims/claim.ts';
import { explainFailure } from '../../../domain/claims/payout-failure.ts';
import { earningSentence } from '../../../domain/earning/words/earning-words.ts';
import type { ClaimableGroup } from '../../../domain/gigs/tip.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { type Obstacles, obstacleClause } from '../../../domain/payments/obstacle.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { FARCASTER } from '../../../domain/platforms/platforms.ts';
import { dayText } from '../../../domain/time.ts';
import { amountText, chainName } from '../../ui/amounts.ts';
import { counted, shortened } from '../../ui/badges.ts';
import type { Site } from '../../ui/layout.ts';
import { accountLabel, type ClaimView, claimPath, paysSomething } from '../claims/claim-page.ts';
import { TAP_PATHS } from './gig-card.ts';
import {
  type Card,
  type CardRow,
  caption,
  heading,
  linkButton,
  list,
  pageButton,
  paragraph,
  row,
  tapButton,
} from './snap.ts';

/** How many payments that are on their way, and how many that are made, are named. */
const PAYMENTS_SHOWN = 3;

type Place = Pick<Site, 'publicUrl'>;

function claimableRow({ token, total, tips, gigCount }: ClaimableGroup): CardRow {
  const description = `${counted(tips.length, 'tip')} from ${counted(gigCount, 'gig')} on ${chainName(token.chainId)}`;
  return { title: amountText(total, token), description };
}

const look = ({ publicUrl }: Place) => `${publicUrl}${TAP_PATHS.look}`;
const claim = ({ publicUrl }: Place) => `${publicUrl}${TAP_PATHS.claim}`;

/** The card of an account's claim page, the same for everybody. */
export function claimPageCard(view: ClaimView, site: Place): Card {
  const isHere = view.name.platform === FARCASTER.id;
  const { claimable } = view;
  return {
    parts: [
      heading(`${accountLabel(view)}: ${claimable.length === 0 ? 'nothing to claim right now' : 'to claim'}`),
      ...list(claimable.map(claimableRow)),
      ...(isHere
        ? row([tapButton('What have I earned?', look(site)), tapButton('Claim mine', claim(site), { isPrimary: true })])
        : []),
      ...row([pageButton('Open the page', `${site.publicUrl}${claimPath(view)}`)]),
    ],
  };
}

/** What a claim would pay now, token by token, then what is held back. */
function claimRows({ claimable, held }: ClaimView): CardRow[] {
  const open = claimable.flatMap((group) => {
    const tips = group.tips.filter(({ claimNonce }) => claimNonce === null);
    return [...Map.groupBy(tips, ({ id }) => held.get(id))].map(([obstacle, some]) => ({
      ...group,
      obstacle,
      tips: some,
    }));
  });
  const rows = open.map(({ token, tips, obstacle }) => {
    const total = tips.reduce((sum, { amount }) => sum + amount, 0n);
    const gigCount = new Set(tips.map(({ gigId }) => gigId)).size;
    const free = claimableRow({ token, total, tips, gigCount });
    return {
      obstacle,
      row: obstacle === undefined ? free : { ...free, description: `Waiting: ${obstacleClause(obstacle)}` },
    };
  });
  return rows
    .toSorted((a, b) => Number(a.obstacle !== undefined) - Number(b.obstacle !== undefined))
    .map(({ row }) => row);
}

/** What is on its way, then what was paid. */
function paymentRows({ claims, paid }: ClaimView): CardRow[] {
  const pending = claims.flatMap((status) =>
    payoutsOf(status).flatMap(({ payment, token, outcome }) => {
      if (outcome !== 'pending') return [];
      const obstacle = status.obstacles.get(payment.id);
      const description = obstacle === undefined ? '' : `Waiting: ${obstacleClause(obstacle)}`;
      return [{ title: `On its way: ${amountText(payment.amount, token)}`, description }];
    }),
  );
  const made = paid.map(({ amount, token, updatedAt, recipient }) => ({
    title: `Paid: ${amountText(amount, token)}`,
    description: `${dayText(updatedAt)}, to ${shortened(checksummed(recipient))}`,
  }));
  return [...pending.slice(0, PAYMENTS_SHOWN), ...made.slice(0, PAYMENTS_SHOWN)];
}

/** What was refused, in one sentence; null when nothing was. */
function refusedText({ unawarded, now }: ClaimView): string | null {
  const refused = unawarded.find(({ earning }) => earning.state === 'refused');
  if (refused === undefined) return null;
  const { earning, gates, ruleType } = refused;
  return `Gig ${earning.gigId}: ${earningSentence(earning, { gates, ruleType, isOwn: true, now, amountText: String })}`;
}

/** The card of the account that taps. `about` says what it has from the gig whose card it tapped; null elsewhere. */
export function myCard(view: ClaimView, site: Place, about: string | null = null): Card {
  const isMoving = view.claims.some((status) => payoutsOf(status).some(({ outcome }) => outcome === 'pending'));
  const pays = paysSomething(view);
  const said = about ?? refusedText(view);
  const title = pays ? 'You can claim' : isMoving ? 'Your claim is being paid' : 'Nothing to claim right now';
  return {
    parts: [
      heading(title),
      ...list(claimRows(view)),
      ...list(paymentRows(view)),
      ...(said === null ? [] : [caption(said)]),
      ...row([
        ...(pays ? [tapButton('Claim all', claim(site), { isPrimary: true })] : []),
        ...(isMoving ? [tapButton('Look again', look(site), { isPrimary: !pays })] : []),
        pageButton('Open my page', `${site.publicUrl}${claimPath(view)}`),
      ]),
    ],
  };
}

const OUTCOMES = {
  paid: 'Paid',
  pending: 'On its way',
  failed: 'Not paid',
  empty: 'Nothing to claim right now',
} as const;
const STATES = { success: 'Paid', pending: 'On its way', failed: 'Not paid' } as const;

function payoutRow({ payment, token, outcome }: Payout, obstacles: Obstacles): CardRow {
  const { amount, recipient, chainId, hash, reason, id } = payment;
  const to = `to ${shortened(checksummed(recipient))} on ${chainName(chainId)}`;
  const obstacle = obstacles.get(id);
  const more =
    outcome === 'failed'
      ? `: ${explainFailure(reason)}; it can be claimed again`
      : obstacle !== undefined
        ? `, waiting ${obstacleClause(obstacle)}`
        : hash !== null && outcome === 'success'
          ? `, transaction ${shortened(hash)}`
          : '';
  return { title: `${STATES[outcome]}: ${amountText(amount, token)}`, description: `${to}${more}` };
}

function transactionLink(payments: readonly Payment[]): string | null {
  for (const { chainId, hash } of payments) {
    const link = hash === null ? null : explorerLink(chainId, { kind: 'tx', value: hash });
    if (link !== null) return link;
  }
  return null;
}

/** The outcome of a claim by tap. */
export function claimedCard(status: ClaimStatus, obstacles: Obstacles, site: Place): Card {
  const payouts = payoutsOf(status);
  const outcome = claimOutcome(status);
  const paid = payouts.filter((payout) => payout.outcome === 'success').map(({ payment }) => payment);
  const link = transactionLink(paid);
  const again = `${site.publicUrl}${TAP_PATHS.claims}/${status.claim.id}`;
  return {
    hasConfetti: outcome === 'paid',
    parts: [
      heading(OUTCOMES[outcome]),
      ...list(payouts.map((payout) => payoutRow(payout, obstacles))),
      ...row([
        ...(outcome === 'pending' ? [tapButton('Look again', again, { isPrimary: true })] : []),
        ...(outcome === 'failed' ? [tapButton('Claim all', claim(site), { isPrimary: true })] : []),
        ...(link === null ? [] : [linkButton('View the transaction', link)]),
        tapButton('What have I earned?', look(site)),
      ]),
    ],
  };
}

/** A sentence, with a button that taps again. @param target the URL to tap; null for no button */
export function messageCard(sentence: string, target: string | null): Card {
  const buttons = target === null ? [] : [tapButton('Try again', target, { isPrimary: true })];
  return { parts: [paragraph(sentence), ...row(buttons)] };
}
