import { expect, test } from 'vitest';
import { endingsOf } from '../../../src/services/ends/endings.ts';
import { DAY, gig, NOW } from '../../bot/samples.ts';

const live = { status: 'live', startTime: NOW, endTime: NOW + DAY, wentLiveAt: NOW } as const;

test.each([
  ['was created', {}, ['cancel']],
  ['is cancelled', { cancelledAt: NOW }, []],
  ['is to begin', { ...live, startTime: NOW + 1 }, ['stop']],
  ['is live', live, ['stop']],
  ['was stopped', { ...live, stoppedAt: NOW }, ['settle']],
  ['has ended', { ...live, endTime: NOW }, ['settle']],
  ['is settled', { ...live, endTime: NOW, settledAt: NOW }, []],
])('behavior: a gig that %s may be ended so', (_what, terms, endings) => {
  expect(endingsOf(gig(terms), NOW)).toEqual(endings);
});
