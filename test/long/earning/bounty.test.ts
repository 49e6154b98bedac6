import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, newSigningKey, startVerifier, type TestVerifier } from '../../support/verifier.ts';
import { type Living, liveThrough, readAccounts, readSums, stopsOf } from './lives.ts';
import type { Stop } from './order.ts';

const VERDICTS: Readonly<Record<string, object>> = {
  user11: { award: '0.00000000000000004' },
  user12: { wait_seconds: 3_600 },
  user13: { award: '0.00000000000000004' },
  // More than is left.
  user15: { award: '0.00000000000000003' },
  user16: { refuse: 'no good' },
};
const ANSWER = decide(({ username }) => VERDICTS[username]);
const signingKey = newSigningKey();

let verifier: TestVerifier;

beforeAll(async () => {
  verifier = await startVerifier();
});
afterAll(() => verifier.close());

/** Six submit, one takes it back, and a verifier on this machine decides. */
async function live(stop: Stop | null, attend?: (living: Living) => () => number) {
  verifier.answer(ANSWER);
  const before = verifier.asked.length;
  const rule = { type: 'verifier', maxAmount: 50n } as const;
  const gig = { gigType: 'custom_bounty', verifier: verifier.url, rule, rewardAmount: 100n } as const;
  const lived = await liveThrough(
    { play: 'bounty', asks: { origin: verifier.origin, signingKey }, ...gig },
    {
      stop,
      ...(attend === undefined ? {} : { attend }),
      read: async (store, gigId) => ({
        accounts: await readAccounts(store, gigId),
        sums: await readSums(store, gigId),
        open: await store.openBatch(gigId),
      }),
    },
  );
  return { ...lived, asked: verifier.asked.slice(before) };
}

/** Under one id the verifier is always asked about the same candidates, or fewer, once some are decided about. */
function checkQuestions(asked: Awaited<ReturnType<typeof live>>['asked']): void {
  const byId = Map.groupBy(asked, ({ headers }) => String(headers['webhook-id']));
  for (const [first, ...more] of byId.values()) {
    const known = first?.question.candidates.map(({ id }) => id);
    for (const { question } of more)
      expect(known).toEqual(expect.arrayContaining(question.candidates.map(({ id }) => id)));
  }
}

test('security: a kill -9 amid a bounty, between any two of its steps, pays each award once', {
  timeout: 1_800_000,
}, async () => {
  const calm = await live(null);
  expect(calm.outcome).toEqual({
    accounts: [
      '11 awarded own 40',
      '12 withdrawn ',
      '13 awarded own 40',
      '14 score_too_low ',
      '15 reward_used_up ',
      '16 verifier_refused ',
    ],
    sums: [80n, 80n, 0n],
    open: null,
  });
  // Batches that were stored, and those whose answers were applied, are among them.
  expect(calm.life.turns.length).toBeGreaterThan(5);
  for (const stop of stopsOf(calm.life)) {
    const { signal, outcome, asked } = await live(stop);
    expect({ stop, signal, ...outcome }).toEqual({ stop, signal: 'SIGKILL', ...calm.outcome });
    checkQuestions(asked);
  }
});

test('security: a kill -9 after a question was sent, before its answer, has it asked again under its id', {
  timeout: 1_800_000,
}, async () => {
  const calm = await live(null);
  expect(calm.asked.length).toBeGreaterThan(1);
  for (let killed = 1; killed <= calm.asked.length; killed += 1) {
    let seconds = 0;
    let questions = 0;
    const { signal, outcome, asked } = await live(null, ({ child }) => {
      verifier.answer((question, response) => {
        questions += 1;
        if (questions !== killed) return ANSWER(question, response);
        seconds = Number(question.headers['webhook-timestamp']);
        child.kill('SIGKILL');
      });
      return () => seconds * 1_000;
    });
    expect({ killed, signal, ...outcome }).toEqual({ killed, signal: 'SIGKILL', ...calm.outcome });
    const [lost, again] = asked.slice(killed - 1);
    expect(again?.headers['webhook-id']).toBe(lost?.headers['webhook-id']);
    expect(again?.question).toEqual(lost?.question);
    checkQuestions(asked);
  }
});
