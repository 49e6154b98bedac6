import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/log.ts';
import { createRuntime } from '../../../src/runtime.ts';
import { openGig } from '../../services/earning/gigs.ts';
import { freshAddress } from '../../support/anvil.ts';
import { createTestDatabase } from '../../support/database.ts';
import { run } from '../../support/process.ts';
import { MIGRATIONS, PAGES, temporaryFolder } from '../../support/store.ts';
import { openWorld } from '../../support/world.ts';

const DAY_MS = 86_400_000;

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'labels.jsonl');
});
afterEach(() => folder.remove());

test('behavior: an account that the file calls spam is refused', async () => {
  const label = { type: { fid: 5_002 }, label_type: 'spam', label_value: 0 };
  writeFileSync(file, `${JSON.stringify(label)}\n`);
  // Nothing is paid, so that the gig's chain need not be there.
  const env = { EARNING_LOOK_SECONDS: '1', SPAM_LABELS_FILE: file, GIG_WALLET_MNEMONIC: '' };
  const world = await openWorld({ env });
  try {
    for (const [id, username] of [['5001', 'honest'] as const, ['5002', 'spammer'] as const]) {
      const registeredAt = Date.now() - 400 * DAY_MS;
      world.farcaster.addUser({ id, username, score: 0.9, registeredAt, verifiedAddresses: [freshAddress()] });
    }
    const like = (postId: string) => {
      for (const who of ['honest', 'spammer']) world.farcaster.act({ who, kind: 'like', post: postId });
    };
    const openOn = async (text: string) => {
      const cast = world.farcaster.post({ author: 'alice', text });
      const target = { kind: 'post', postId: cast.id, authorId: '1' } as const;
      const times = { startTime: Date.now() - 1_000, createdAt: Date.now() - 1_000 };
      const gig = await openGig(world.runtime.store, { target, holdMs: 0, ...times });
      like(cast.id);
      return gig;
    };
    const outcome = async (gigId: number) => {
      const earnings = await world.runtime.store.earnings({ gigId, limit: 9 });
      return Object.fromEntries(earnings.map(({ platformUserId, state, reason }) => [platformUserId, reason ?? state]));
    };
    const wanted = { 5001: 'awarded', 5002: 'labelled_spam' };
    const first = await openOn('Like this');
    await expect.poll(() => outcome(first.id)).toEqual(wanted);
  } finally {
    await world.close();
  }
});

test('error: a file that is missing stops the start, by the name of its variable', async () => {
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, SPAM_LABELS_FILE: file };
  const log = createLog({ level: 'silent' });
  const options = { config: loadConfig(env), log, migrationsFolder: MIGRATIONS, pagesFolder: PAGES, version: '0' };
  await expect(createRuntime(options)).rejects.toMatchObject({
    name: 'ConfigError',
    problems: ['SPAM_LABELS_FILE: the file does not exist'],
  });
  const service = run('src/main.ts', { env: { ...env, PORT: '0' } });
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain('SPAM_LABELS_FILE: the file does not exist');
  await database.remove();
});
