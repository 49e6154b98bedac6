import { afterEach, expect, test } from 'vitest';
import { createEarningCounter } from '../../src/services/earning/tally.ts';
import { decideAs, sampleAccount, sampleAct, seedActs, seedGigWithRules } from '../support/earning.ts';
import { SEEDED_AT } from '../support/store.ts';
import { NOW, service, setUp } from './service.ts';

const DAY = 86_400_000;

afterEach(() => service.close());

async function metrics(): Promise<string[]> {
  return (await (await service.app.request('/metrics')).text()).split('\n');
}

const ready = async () => await (await service.app.request('/ready')).json();

/** A watched gig whose next step is due then. */
async function seedWatched(nextAt: number, failures = 0) {
  const gig = await seedGigWithRules(service.store);
  await service.store.transaction(async (tx) => {
    const watch = await tx.leaseWatchOf(gig.id, { lease: 'a', now: SEEDED_AT, until: SEEDED_AT + 1 });
    if (watch === null) throw new Error('not leased');
    await tx.storeWatch({ ...watch, nextAt, failures }, { lease: 'a', release: true });
  });
  return gig;
}

test('behavior: ready and the metrics count the watched gigs that are overdue, which makes nothing unready', async () => {
  await setUp();
  await seedWatched(NOW - DAY + 1);
  expect(await ready()).toMatchObject({ ready: true, gigs: { overdue: 0 } });
  await seedWatched(NOW - DAY);
  await seedWatched(NOW, 54);
  expect(await ready()).toMatchObject({ ready: true, gigs: { overdue: 2 } });
  const lines = await metrics();
  expect(lines).toContain('gigclaim_watches 3');
  expect(lines).toContain('gigclaim_watches_overdue 2');
});

test('behavior: metrics count the accounts of watched gigs by state', async () => {
  await setUp();
  expect(await metrics()).toContain('gigclaim_earnings{state="held"} 0');
  const gig = await seedWatched(NOW);
  await seedActs(service.store, gig, [sampleAct(1), sampleAct(2), sampleAct(3)]);
  await service.store.transaction((tx) => decideAs(tx, gig, sampleAccount(1)));
  const lines = await metrics();
  expect(lines).toContain('gigclaim_earnings{state="held"} 2');
  expect(lines).toContain('gigclaim_earnings{state="eligible"} 1');
  expect(lines).toContain('gigclaim_earnings{state="refused"} 0');
});

test('behavior: metrics count looks, sweeps, settled gigs, and acts by what told of them', async () => {
  const counter = createEarningCounter();
  await setUp({ counter });
  expect(await metrics()).toContain('gigclaim_observations_total{source="webhook"} 0');
  counter.observed('look', 3);
  counter.observed('look', 2);
  counter.observed('sweep', 1);
  counter.stepped('look', { isSwept: false });
  counter.stepped('begin_sweep', { isSwept: false });
  counter.stepped('sweep', { isSwept: true });
  counter.stepped('over', { isSwept: false });
  counter.asked('failed');
  for (const _ of [1, 2]) {
    const lines = await metrics();
    expect(lines).toContain('gigclaim_observations_total{source="look"} 5');
    expect(lines).toContain('gigclaim_observations_total{source="sweep"} 1');
    expect(lines).toContain('gigclaim_earning_looks_total 1');
    expect(lines).toContain('gigclaim_earning_sweeps_total 1');
    expect(lines).toContain('gigclaim_gigs_settled_total 1');
    expect(lines).toContain('gigclaim_verifier_questions_total{outcome="failed"} 1');
  }
});
