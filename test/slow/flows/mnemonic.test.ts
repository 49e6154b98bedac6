import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/log.ts';
import { createRuntime, type Runtime } from '../../../src/runtime.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { run } from '../../support/process.ts';
import { MIGRATIONS, PAGES, seedGig } from '../../support/store.ts';

const OURS = 'test test test test test test test test test test test junk';
const OTHERS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const OUR_TANK = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const REFUSAL = /GIG_WALLET_MNEMONIC is not the one that this database was made with: its gas tank is 0xf39F/;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.remove());

async function open(mnemonic: string, { url } = database): Promise<Runtime> {
  const env = { CHAINS: 'anvil', DATABASE_URL: url, GIG_WALLET_MNEMONIC: mnemonic };
  const log = createLog({ level: 'fatal', destination: { write: () => undefined } });
  const options = { log, migrationsFolder: MIGRATIONS, pagesFolder: PAGES, version: '0.0.0' };
  return await createRuntime({ ...options, config: loadConfig(env) });
}

test('security: a store that was used with a mnemonic starts with no other one, which is said without the words', async () => {
  const first = await open(OURS);
  expect(await first.store.gasTank()).toBe(OUR_TANK.toLowerCase());
  await first.stop();
  const refused = await open(OTHERS).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(String(refused)).toMatch(REFUSAL);
  expect(String(refused)).not.toContain('winner');
  await (await open('')).stop();
  await (await open(OURS)).stop();
  const child = run('src/main.ts', {
    env: { PORT: '0', CHAINS: 'anvil', DATABASE_URL: database.url, GIG_WALLET_MNEMONIC: OTHERS },
  });
  expect(await child.ended).toBe(1);
  expect(child.output().match(new RegExp(REFUSAL, 'g'))).toHaveLength(1);
  expect(child.output()).not.toContain('winner');
});

test('security: a store of an older version belongs to the words that its newest gig’s wallet derives from', async () => {
  const old = await createTestDatabase();
  const store = await old.open();
  await seedGig(store);
  await store.close();
  await expect(open(OURS, old)).rejects.toThrow(
    /GIG_WALLET_MNEMONIC is not the one .* the wallet of its gig 1 is 0x0{39}1, and these words derive 0x/,
  );
  await old.remove();
});
