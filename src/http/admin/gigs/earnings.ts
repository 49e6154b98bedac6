import { html } from 'hono/html';
import { EARNING_STATES, type EarningState } from '../../../domain/earning/earning.ts';
import { earningSentence, toldBy } from '../../../domain/earning/words/earning-words.ts';
import { factsWords } from '../../../domain/earning/words/reason-words.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { requireGigEarning } from '../../../services/gigs/show/explain-earning.ts';
import { type AccountEarning, type GigEarning, pageOfEarnings } from '../../../services/gigs/show/find-earnings.ts';
import type { Entry } from '../../frame/list.ts';
import { PAGE_SIZE, pageToRead, readListQuery } from '../../frame/list-query.ts';
import { amountText } from '../../ui/amounts.ts';
import { counted, renderBadge, type Tone } from '../../ui/badges.ts';
import { renderAccount } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OPERATORS } from '../audience.ts';
import { idOf, viewList } from '../list.ts';

const TONES: Readonly<Record<EarningState, Tone>> = { held: 'wait', eligible: 'wait', awarded: 'ok', refused: 'bad' };

function toEntry(
  { username, earning, missing }: AccountEarning,
  { gig, overview, now }: { gig: Gig; overview: GigEarning; now: number },
): Entry[] {
  if (earning === null) return [];
  const told = {
    ...toldBy(overview.rules),
    missing,
    now,
    amountText: (amount: bigint) => amountText(amount, gig.token),
  };
  const known = earning.facts === null ? [] : [html`<p class="muted">${factsWords(earning.facts)}</p>`];
  return [
    {
      id: earning.observationId,
      badge: renderBadge(earning.state, TONES[earning.state]),
      time: renderTime(earning.updatedAt, { now }),
      headline: renderAccount({ ...earning, username }),
      details: [html`<p>${earningSentence(earning, told)}</p>`, ...known],
    },
  ];
}

/** `GET /admin/gigs/:id/earnings`: the accounts of a watched gig. */
export const earningsPage = OPERATORS.page('/admin/gigs/:id{[0-9]+}/earnings', async (visit) => {
  const { store, clock } = visit.deps;
  const id = idOf(visit);
  const query = readListQuery(visit, EARNING_STATES);
  const { gig, overview } = await requireGigEarning({ store }, { gigId: id });
  const { accounts, next } = await pageOfEarnings(
    { store },
    { gig, ...pageToRead(query), state: query.state, limit: PAGE_SIZE },
  );
  const now = clock();
  return viewList(visit, {
    section: 'Gigs',
    path: `/admin/gigs/${id}/earnings`,
    title: `Earnings of gig ${id}`,
    orderedBy: 'Act',
    hasDays: false,
    lead: 'The state of each account and its reason, by the act that counts, with the facts at the time of the decision.',
    noun: 'act',
    entries: accounts.flatMap((account) => toEntry(account, { gig, overview, now })),
    empty: 'No accounts found.',
    query,
    next,
    counts: overview.counts,
    sums: {
      of: `Sum of the whole gig: ${counted(overview.counts.awarded, 'awarded account')}`,
      columns: ['Awarded', 'Reserved for eligible accounts'],
      rows: [
        { token: gig.token, count: overview.counts.awarded, amounts: [overview.sums.awarded, overview.sums.eligible] },
      ],
    },
  });
});
