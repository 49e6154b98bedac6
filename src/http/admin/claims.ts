import { html } from 'hono/html';
import {
  type ClaimOutcome,
  type ClaimStatus,
  claimOutcome,
  type Payout,
  payoutsOf,
} from '../../domain/claims/claim.ts';
import { CLAIM_FACTS, CLAIM_PAYOUTS } from '../../domain/facts/claim-facts.ts';
import { type ListedClaim, listClaims, readClaim } from '../../services/claims/list-claims.ts';
import type { Entry } from '../frame/list.ts';
import { PAGE_SIZE, pageToRead, readListQuery } from '../frame/list-query.ts';
import { ofPage, type Summed, sumByToken } from '../frame/sums.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderAccount, renderShortAddress } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';
import { OPERATORS } from './audience.ts';
import type { AdminRoute } from './context.ts';
import { factMarkup, renderFact } from './facts.ts';
import { idOf, renderFacts, renderHeading, spanOfList, viewList } from './list.ts';
import { renderPayments } from './payments.ts';

/** All claim states, in display order. */
const CLAIM_OUTCOMES = ['pending', 'paid', 'failed', 'empty'] as const satisfies ClaimOutcome[];

const TONES: Readonly<Record<ClaimOutcome, Tone>> = { pending: 'live', paid: 'ok', failed: 'bad', empty: 'quiet' };

function renderStanding(status: ClaimStatus): Markup {
  const standing = claimOutcome(status);
  return renderBadge(standing, TONES[standing]);
}

function toEntry({ root }: Root, status: ListedClaim, now: number): Entry {
  const { claim, username } = status;
  return {
    id: claim.id,
    href: `${root}/admin/claims/${claim.id}`,
    badge: renderStanding(status),
    time: renderTime(claim.createdAt, { now }),
    headline: html`${renderAccount({ ...claim, username })} to ${renderShortAddress(claim.recipient)}`,
    details: [renderFact({ root }, CLAIM_PAYOUTS, { status, username })],
  };
}

/** A payment that has failed is neither. */
function toSummed({ payment: { amount }, token, outcome }: Payout): Summed {
  return { token, amounts: [outcome === 'success' ? amount : 0n, outcome === 'pending' ? amount : 0n] };
}

const list = OPERATORS.page('/admin/claims', async (visit) => {
  const { store, site, clock } = visit.deps;
  const query = readListQuery(visit, CLAIM_OUTCOMES);
  const span = await spanOfList(visit, 'claims', query);
  const { claims, next } = await listClaims(
    { store },
    { ...pageToRead(query, span), limit: PAGE_SIZE, standing: query.state, span },
  );
  const now = clock();
  const payouts = claims.flatMap((status) => payoutsOf(status));
  return viewList(visit, {
    section: 'Claims',
    orderedBy: 'Claimed',
    lead: 'The requests to be paid, and their payments. To retry a failed claim, retry its payment or send its post again.',
    noun: 'claim',
    entries: claims.map((status) => toEntry(site, status, now)),
    empty:
      next === null ? undefined : `None on this page; there may be ${query.isOldestFirst ? 'newer' : 'older'} ones.`,
    query,
    next,
    sums: {
      of: ofPage({ items: claims, next, query }, 'claim'),
      columns: ['Paid', 'To be paid'],
      rows: sumByToken(payouts.map(toSummed)),
    },
  });
});

const one = OPERATORS.page('/admin/claims/:id{[0-9]+}', async (visit) => {
  const { store, site } = visit.deps;
  const id = idOf(visit);
  if ((await store.claim(id)) === null) return null;
  const status = await readClaim({ store }, id);
  const { claim, payments } = status;
  const username = (await store.account(claim))?.username ?? null;
  return {
    title: `Claim ${id}`,
    section: 'Claims',
    body: html`${renderHeading(html`Claim ${id} ${renderStanding(status)}`)}
${renderFacts(factMarkup(site, CLAIM_FACTS, { status, username }))}
${renderPayments(visit, counted(payments.length, 'payment'), payments)}`,
  };
});

/** `GET /admin/claims` and `/admin/claims/:id`. */
export const CLAIM_PAGES: readonly AdminRoute[] = [list, one];
