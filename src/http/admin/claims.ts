import { html } from 'hono/html';
import { type ClaimOutcome, type ClaimStatus, claimOutcome } from '../../domain/claims/claim.ts';
import { CLAIM_FACTS, CLAIM_PAYOUTS } from '../../domain/facts/claim-facts.ts';
import { type ListedClaim, listClaims, readClaim } from '../../services/claims/list-claims.ts';
import { counted, renderBadge, type Tone } from '../ui/badges.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderAccount, renderMoment, renderShortAddress } from '../ui/text.ts';
import { OPERATORS } from './audience.ts';
import type { AdminRoute } from './context.ts';
import { factMarkup, renderFact } from './facts.ts';
import { type Entry, idOf, PAGE_SIZE, readListQuery, renderFacts, renderHeading, viewList } from './list.ts';
import { renderPayments } from './payments.ts';

/** All claim states, in display order. */
const CLAIM_OUTCOMES = ['pending', 'paid', 'failed', 'empty'] as const satisfies ClaimOutcome[];

const TONES: Readonly<Record<ClaimOutcome, Tone>> = { pending: 'live', paid: 'ok', failed: 'bad', empty: 'quiet' };

function renderStanding(status: ClaimStatus): Markup {
  const standing = claimOutcome(status);
  return renderBadge(standing, TONES[standing]);
}

function toEntry({ root }: Root, status: ListedClaim): Entry {
  const { claim, username } = status;
  return {
    id: claim.id,
    href: `${root}/admin/claims/${claim.id}`,
    badge: renderStanding(status),
    time: renderMoment(claim.createdAt),
    headline: html`${renderAccount({ ...claim, username })} to ${renderShortAddress(claim.recipient)}`,
    details: [renderFact({ root }, CLAIM_PAYOUTS, { status, username })],
  };
}

const list = OPERATORS.page('/admin/claims', async (visit) => {
  const { store, site } = visit.deps;
  const query = readListQuery(visit, CLAIM_OUTCOMES);
  const { state: standing, before } = query;
  const { claims, next } = await listClaims({ store }, { limit: PAGE_SIZE, before, standing });
  return viewList(visit, {
    section: 'Claims',
    lead: 'The requests to be paid, and their payments. To retry a failed claim, retry its payment or send its post again.',
    noun: 'claim',
    entries: claims.map((status) => toEntry(site, status)),
    empty: next === null ? undefined : 'None on this page; there may be older ones.',
    query,
    next,
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
