import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serviceEnvironment } from '../../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { clearOperatorEnv, operatorEnvFile, writeOperatorEnv } from '../../../sandbox/operator-env.ts';
import { farcasterAccount, NETWORK_CREDENTIALS, PEOPLE } from '../../../sandbox/people.ts';
import { openGig, START } from '../../services/earning/gigs.ts';
import { openTestStore } from '../../support/database.ts';
import { decideAs, SAMPLE_FACTS, sampleAccount, sampleAct, seedActs } from '../../support/earning.ts';
import { folderOfTest } from '../../support/test-life.ts';

const ROOT = join(import.meta.dirname, '../../..');
const shell = promisify(execFile);

let opened: Awaited<ReturnType<typeof openTestStore>>;
const farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);

beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(async () => {
  await farcaster.stop();
  await opened.close();
});

test('behavior: with the file that the sandbox writes the operator reads what was submitted', async () => {
  for (const one of PEOPLE) farcaster.addUser(farcasterAccount(one, START));
  const post = farcaster.post({ author: 'alice', text: '@gigclaim submit 1 my work' });
  const target = { kind: 'account', accountId: '9001' } as const;
  const rule = { type: 'verifier', maxAmount: 1n } as const;
  const gig = await openGig(opened.store, { gigType: 'custom_bounty', target, rule });
  await seedActs(opened.store, gig, [{ ...sampleAct(1001), kind: 'submission', objectId: post.id }]);
  await opened.store.transaction((tx) => decideAs(tx, gig, sampleAccount(1001), { facts: SAMPLE_FACTS }));
  const places = { service: 'http://127.0.0.1:3000', x: 'http://127.0.0.1:1', chain: 'http://127.0.0.1:1' };
  const stateFile = join(folderOfTest(), "it's sandbox.json");
  const env = serviceEnvironment({ ...places, farcaster: await farcaster.start() }, opened.database.url);
  writeOperatorEnv(stateFile, env);
  const command = '. "$1" && exec "$2" src/admin.ts gig candidates 1';
  const { stdout, stderr } = await shell('sh', ['-c', command, 'sh', operatorEnvFile(stateFile), process.execPath], {
    cwd: ROOT,
  });
  expect([stdout, stderr]).toEqual([expect.stringContaining('@gigclaim submit 1 my work'), '']);
  clearOperatorEnv(stateFile);
  await expect(shell('cat', [operatorEnvFile(stateFile)])).rejects.toThrow();
});
