import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { createRuntime } from '../../src/runtime.ts';
import { createTestDatabase } from '../support/database.ts';
import { listen } from '../support/listen.ts';
import { svgOf } from '../support/logos.ts';
import { MIGRATIONS, PAGES, temporaryFolder } from '../support/store.ts';

test('behavior: a start reads the name, color and logo of its settings, or says why it cannot use the logo', async () => {
  const [database, folder] = [await createTestDatabase(), temporaryFolder()];
  onTestFinished(async () => {
    folder.remove();
    await database.remove();
  });
  const file = join(folder.path, 'logo.svg');
  const start = async () => {
    const brand = { SITE_NAME: 'Acme Gigs', SITE_ACCENT: '#7c2d12', SITE_LOGO: file };
    const config = loadConfig({ CHAINS: 'anvil', DATABASE_URL: database.url, SIGN_IN: 'wallet', ...brand });
    const log = createLog({ level: 'silent' });
    return await createRuntime({ config, log, migrationsFolder: MIGRATIONS, pagesFolder: PAGES, version: '0.0.0' });
  };
  const refused = { name: 'ConfigError', problems: ['SITE_LOGO: the file does not exist'] };
  await expect(start()).rejects.toMatchObject(refused);

  writeFileSync(file, svgOf());
  const runtime = await start();
  onTestFinished(() => runtime.stop());
  const { url } = await listen(runtime.server);
  const page = await (await fetch(url)).text();
  expect(page).toMatch(
    /<a class="wordmark" href="\/"><img src="\/assets\/logo\.svg\?v=\w+" alt="" [^>]*> Acme Gigs<\/a>/,
  );
  const fields = new URLSearchParams({ address: `0x${'ab'.repeat(20)}`, chain: '31337' });
  const signing = await fetch(`${url}/my/sign-in/wallet`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: fields,
  });
  expect(await signing.text()).toContain('Sign in to Acme Gigs. This costs nothing and moves nothing.');
});
