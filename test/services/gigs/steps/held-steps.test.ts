import { expect, test } from 'vitest';
import { createHeldSteps } from '../../../../src/services/gigs/steps/held-steps.ts';
import { createClock, keepLog } from '../../fakes.ts';

const LOST = { why: 'lost_tips', detail: null } as const;
const SILENT = { why: 'unknown', detail: 'it does not answer', isSilent: true } as const;

test('behavior: a step that waits is listed since it began to, and logged once for each reason', () => {
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const steps = createHeldSteps({ clock, log });
  const since = clock();
  steps.note('settle', 7, LOST);
  advance(5);
  steps.note('settle', 7, LOST);
  steps.note('cancel', 7, LOST);
  steps.note('settle', 7, SILENT);
  expect(steps.list()).toEqual([
    { step: 'settle', gigId: 7, ...SILENT, since },
    { step: 'cancel', gigId: 7, ...LOST, since: since + 5 },
  ]);
  const why = 'the ledger has lost tips of that time, and the gig may owe some';
  const silent = 'the chain does not tell all that its wallet has done: it does not answer';
  const msg = 'automatic step waits: the ledger may be an older copy';
  expect(lines).toMatchObject([
    { gigId: 7, step: 'settle', why, msg },
    { gigId: 7, step: 'cancel', why, msg },
    { gigId: 7, step: 'settle', why: silent, msg },
  ]);
});

test('behavior: a step that waits no more is forgotten, and so are those of gigs for which it is not due', () => {
  const { clock, advance } = createClock();
  const { log, lines } = keepLog();
  const steps = createHeldSteps({ clock, log });
  for (const gigId of [7, 8]) for (const step of ['settle', 'cancel'] as const) steps.note(step, gigId, LOST);
  steps.keep('settle', new Set([8]));
  steps.note('cancel', 8, null);
  const held = () => steps.list().map(({ step, gigId }) => [step, gigId]);
  expect(held()).toEqual([
    ['cancel', 7],
    ['settle', 8],
  ]);
  advance(5);
  steps.note('settle', 7, LOST);
  expect(steps.list().at(-1)).toMatchObject({ gigId: 7, since: clock() });
  expect(lines).toHaveLength(5);
});
