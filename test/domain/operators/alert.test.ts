import { describe, expect, test } from 'vitest';
import {
  type Alert,
  alertMessage,
  readAlertUrl,
  type Streaks,
  stepStreaks,
  testMessage,
} from '../../../src/domain/operators/alert.ts';
import type { Condition } from '../../../src/domain/operators/condition.ts';

const LOW: Condition = { kind: 'gas_tank_low', subject: 'base', gigId: null, text: 'It is low', remedy: 'Fill it.' };
const { gigId: _, ...TOLD } = LOW;
const OPEN: Alert = { ...TOLD, id: 7, begunAt: 0, endedAt: null };

/** Looks again and again; each look says whether the condition is there, gone or unknown. Answers what each changed. */
function look(words: readonly ('there' | 'gone' | 'unknown')[], startsOpen: boolean): string[] {
  let streaks: Streaks = new Map();
  let open: readonly Alert[] = startsOpen ? [OPEN] : [];
  return words.map((word) => {
    const found = word === 'there' ? [LOW] : [];
    const step = stepStreaks(streaks, { found, open, isUnknown: () => word === 'unknown' });
    streaks = step.streaks;
    if (step.begun.length > 0) open = [OPEN];
    if (step.over.length > 0) open = [];
    return step.begun.length > 0 ? 'begun' : step.over.length > 0 ? 'over' : '-';
  });
}

describe('an alert', () => {
  test('behavior: begins when a condition holds for two looks, and is over when it is gone for two', () => {
    const changes = look(['there', 'there', 'there', 'gone', 'gone', 'gone'], false);
    expect(changes).toEqual(['-', 'begun', '-', '-', 'over', '-']);
  });

  test('behavior: a condition that comes and goes is told as one', () => {
    expect(look(['there', 'gone', 'there', 'gone', 'there', 'gone'], false)).toEqual(['-', '-', '-', '-', '-', '-']);
    expect(look(['gone', 'there', 'gone', 'there', 'gone', 'there'], true)).toEqual(['-', '-', '-', '-', '-', '-']);
  });

  test('behavior: what is unknown neither begins nor is over', () => {
    expect(look(['unknown', 'unknown', 'unknown'], true)).toEqual(['-', '-', '-']);
    expect(look(['gone', 'unknown', 'gone', 'gone'], true)).toEqual(['-', '-', '-', 'over']);
    expect(look(['there', 'unknown', 'there', 'there'], false)).toEqual(['-', '-', '-', 'begun']);
  });
});

describe('what a receiver is told', () => {
  const told = (news: 'begun' | 'over', alert: Partial<Alert> = {}) =>
    alertMessage({ id: 'd1', news, alert: { ...OPEN, ...alert } }, { publicUrl: 'https://gigs.example' });

  test('behavior: the beginning with the remedy, the end without it', () => {
    expect(told('begun', { begunAt: 1_795_253_400_000 })).toEqual({
      id: 'd1',
      text: 'https://gigs.example: It is low. Fill it.',
      kind: 'gas_tank_low',
      subject: 'base',
      state: 'begun',
      at: '2026-11-21T09:30:00.000Z',
      service: 'https://gigs.example',
    });
    expect(told('over', { endedAt: 1_795_253_460_000 })).toMatchObject({
      text: 'https://gigs.example: Over: It is low.',
      state: 'over',
      at: '2026-11-21T09:31:00.000Z',
    });
  });

  test('behavior: the operator’s own name stands before the URL', () => {
    const sender = { publicUrl: 'https://gigs.example', siteName: 'Acme Gigs' };
    const { text, service } = alertMessage({ id: 'd1', news: 'begun', alert: OPEN }, sender);
    expect([text, service]).toEqual(['Acme Gigs (https://gigs.example): It is low. Fill it.', sender.publicUrl]);
    expect(testMessage({ id: 'd2', now: 0 }, sender).text).toMatch(
      /^Acme Gigs \(https:\/\/gigs\.example\): This is a test/,
    );
  });

  test('security: nothing that Slack takes for a command, and no control characters', () => {
    expect(told('begun', { text: 'Gig 3 is frozen, because <!channel> \u202e\nhello' }).text).toBe(
      'https://gigs.example: Gig 3 is frozen, because ‹!channel› � hello. Fill it.',
    );
  });

  test('behavior: no more than Discord takes', () => {
    const { text } = told('begun', { text: 'x'.repeat(5_000) });
    expect([text.length, text.at(-1)]).toEqual([1_900, '…']);
  });
});

test.each([
  ['https://hooks.example/T0/B0/x', 'https://hooks.example/T0/B0/x'],
  ['https://hooks.example:8443/x?a=b', 'https://hooks.example:8443/x?a=b'],
  ['http://127.0.0.1:9000/x', 'http://127.0.0.1:9000/x'],
  ['http://localhost/x', 'http://localhost/x'],
  ['http://[::1]:9/x', 'http://[::1]:9/x'],
  ['http://hooks.example/x', null],
  ['http://127.0.0.1.example/x', null],
  ['https://name:word@hooks.example/x', null],
  ['https://hooks.example/x#y', null],
  ['ftp://hooks.example/x', null],
  ['hooks.example', null],
])('security: alerts may be sent to %s: %s', (text, url) => {
  expect(readAlertUrl(text)).toBe(url);
});
