import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { setOptedOut } from '../../../src/services/mentions/opt-out.ts';
import { createPlatformBreaker } from '../../../src/services/mentions/platform-breaker.ts';
import { followPause, resumePlatform } from '../../../src/services/mentions/platform-pause.ts';
import { storePerCase } from '../../support/per-case.ts';
import { createClock, keepLog } from '../fakes.ts';

const HOUR = 3_600_000;
const { store } = storePerCase();

async function lastEntry() {
  const [entry] = await store.auditEvents({ limit: 1 });
  const { id: _, ...rest } = entry ?? { id: 0, detail: '{}' };
  return { ...rest, detail: JSON.parse(rest.detail) };
}

test('behavior: an operator ends the pause for a cap once, which is in the audit, and the service follows', async () => {
  const { clock, advance } = createClock();
  const health = createPlatformBreaker({ platforms: ['twitter'], clock, log: keepLog().log });
  const pause = { reason: 'a cap', until: clock() + HOUR };
  const resume = () => resumePlatform({ store, clock }, { platform: 'twitter', actor: COMMAND_LINE });
  const message = 'No cap pauses X. Run doctor to see why nothing is sent.';
  const refused = { refusal: { code: 'invalid_request', message } };
  await expect(resume()).rejects.toMatchObject(refused);
  await store.transaction((tx) => tx.setPlatformPause('twitter', pause, clock()));
  await followPause({ store, health }, 'twitter');
  expect(health.canSend('twitter')).toBe(false);
  advance(HOUR - 1);
  await resume();
  expect(await store.platformPause('twitter')).toEqual({ ...pause, until: clock() });
  expect(await lastEntry()).toMatchObject({
    at: clock(),
    actor: 'operator',
    action: 'platform.resume',
    subject: 'platform',
    subjectId: 'twitter',
    gigId: null,
    detail: { until: pause.until },
  });
  await expect(resume()).rejects.toMatchObject(refused);
  await followPause({ store, health }, 'twitter');
  expect(health.canSend('twitter')).toBe(true);
});

test.each([
  [true, 'account.stop'],
  [false, 'account.unstop'],
])('behavior: that an account wants no replies (%s) is in the audit under its own name', async (optedOut, action) => {
  const account = { platform: 'farcaster', platformUserId: '1001' } as const;
  await store.transaction((tx) => tx.setOptedOut(account, !optedOut, 1));
  await store.transaction((tx) => setOptedOut(tx, { account, requestId: 'mention 7', optedOut, now: 2 }));
  expect(await store.hasOptedOut(account)).toBe(optedOut);
  expect(await lastEntry()).toEqual({
    at: 2,
    actor: 'account',
    actorName: 'farcaster:1001',
    apiKeyId: null,
    client: null,
    requestId: 'mention 7',
    action,
    subject: 'account',
    subjectId: 'farcaster:1001',
    gigId: null,
    detail: {},
  });
});
