import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FARCASTER } from '../../platforms/setup.ts';
import { seedGigWithRules } from '../../support/earning.ts';
import { SEEDED_AT } from '../../support/store.ts';
import { desk, useDesk } from '../admin.ts';
import { checkOf } from './setup.ts';

const DAY = 86_400_000;

/** Farcaster is on; where nothing answers. */
const ON = {
  NEYNAR_API_KEY: FARCASTER.apiKey,
  NEYNAR_SIGNER_UUID: FARCASTER.signerUuid,
  NEYNAR_WEBHOOK_SECRETS: FARCASTER.webhookSecrets.join(),
  FARCASTER_BOT_FID: String(FARCASTER.botFid),
  FARCASTER_BOT_USERNAME: FARCASTER.botUsername,
  NEYNAR_BASE_URL: 'http://127.0.0.1:1',
};

useDesk();

/** What a check says. */
async function check(name: string, env: Record<string, string> = {}) {
  const found = await checkOf(name, env);
  return found && [found.ok, found.detail, found.remedy];
}

describe('doctor tells of watching', () => {
  test('behavior: whether it is on, how often, and how many gigs', async () => {
    expect(await check('watching')).toEqual([
      true,
      'Off: no platform that can be watched is on',
      'Gigs with rules need Farcaster.',
    ]);
    expect(await check('watching', { EARNING_LOOK_SECONDS: '0' })).toEqual([
      true,
      'Off: EARNING_LOOK_SECONDS is 0, so gigs with rules are refused',
      'To watch gigs, set EARNING_LOOK_SECONDS, such as 600.',
    ]);
    expect(await check('watching', ON)).toEqual([true, 'Every 600 seconds, 0 gigs', '']);
    await seedGigWithRules(desk.store);
    expect(await check('watching', { ...ON, EARNING_LOOK_SECONDS: '60' })).toEqual([
      true,
      'Every 60 seconds, 1 gig',
      '',
    ]);
  });

  test('error: gigs that wait while it is off', async () => {
    await seedGigWithRules(desk.store);
    const waits = 'Off: EARNING_LOOK_SECONDS is 0, so gigs with rules are refused, but 1 gig waits to be watched';
    expect((await check('watching', { ...ON, EARNING_LOOK_SECONDS: '0' }))?.slice(0, 2)).toEqual([false, waits]);
    const off = 'Off: no platform that can be watched is on, but 1 gig waits to be watched';
    expect((await check('watching'))?.slice(0, 2)).toEqual([false, off]);
  });

  test('error: gigs for which nothing succeeded for a day', async () => {
    const late = await seedGigWithRules(desk.store);
    await seedGigWithRules(desk.store);
    await desk.store.transaction(async (tx) => {
      const watch = await tx.leaseWatchOf(late.id, { lease: 'a', now: SEEDED_AT, until: SEEDED_AT + 1 });
      if (watch === null) throw new Error('not leased');
      await tx.storeWatch({ ...watch, nextAt: SEEDED_AT - DAY }, { lease: 'a', release: true });
    });
    expect(await check('watching', ON)).toEqual([
      false,
      `Work on watched gig ${late.id} has been overdue for a day`,
      `See “watched gig waits” in the log, and run npm run admin -- gig settle ${late.id}: it says what fails. ` +
        `When its platform does not come back, gig settle ${late.id} --refuse-open ends the gig without it.`,
    ]);
  });
});

describe('doctor tells of spam labels', () => {
  test('behavior: whether they are read, and how many', async () => {
    const path = `${desk.path}.labels`;
    expect(await check('spam labels')).toEqual([
      true,
      'Not set: the gate not_spam passes every account, and trusted is refused',
      'To use spam labels, set SPAM_LABELS_FILE.',
    ]);
    const line = (fid: number, value: number) => `{"type":{"fid":${fid}},"label_type":"spam","label_value":${value}}\n`;
    writeFileSync(path, line(1, 0) + line(2, 3) + line(3, 2));
    expect(await check('spam labels', { SPAM_LABELS_FILE: path })).toEqual([true, '2 spam, 1 trusted', '']);
    writeFileSync(path, `${line(1, 0)}<html>\n`);
    expect(await check('spam labels', { SPAM_LABELS_FILE: path })).toEqual([
      true,
      '1 spam, 0 trusted; skipped: 1 line that is none',
      'Correct these lines in SPAM_LABELS_FILE.',
    ]);
  });

  test('error: a file that is missing', async () => {
    expect(await check('spam labels', { SPAM_LABELS_FILE: `${desk.path}.labels` })).toEqual([
      false,
      'SPAM_LABELS_FILE: the file does not exist',
      'Put the file in place, or unset SPAM_LABELS_FILE: the service does not start while it names a missing file.',
    ]);
  });
});
