import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { createFarcasterRelay, type FarcasterRelay } from '../../../sandbox/networks/farcaster-relay.ts';
import { placeRegistries } from '../../../sandbox/owners/registries.ts';
import { svgOf } from '../../support/logos.ts';
import { desk } from '../admin.ts';
import { doctor, useDoctor } from './setup.ts';

useDoctor();

let optimism: AnvilProcess;
let relay: FarcasterRelay;
beforeAll(async () => {
  optimism = await startAnvil({ chainId: 10 });
  await placeRegistries(optimism.url);
  relay = createFarcasterRelay();
  await relay.start(0);
});
afterAll(async () => {
  await relay.stop();
  await optimism.stop();
});

async function signInChecks(env: Record<string, string>) {
  const { report } = await doctor(env);
  const found = report.checks.filter(({ name }) => name.startsWith('sign in') || name === 'settings');
  return found.map(({ name, ok, detail }) => [name, ok, detail]);
}

test('behavior: doctor asks the relay and the registries, where owners may sign in with Farcaster', async () => {
  const env = { SIGN_IN: 'farcaster,wallet', FARCASTER_RELAY_URL: relay.url, RPC_URL_10: optimism.url };
  expect(await signInChecks(env)).toEqual([
    ['sign in relay', true, 'The Farcaster relay answers'],
    ['sign in registries', true, 'Farcaster’s registries on chain 10 answer'],
    ['sign in wallet', true, 'Owners can sign in with a wallet'],
  ]);
  expect(await signInChecks({ ...env, SIGN_IN: '' })).toEqual([
    ['settings', true, 'RPC_URL_10 is not used, because optimism is not in CHAINS'],
  ]);
});

test('behavior: doctor says who creates gigs in the console, and how the site is called and looks', async () => {
  const logo = join(dirname(desk.path), 'logo.svg');
  writeFileSync(logo, svgOf());
  const env = {
    SIGN_IN: 'wallet',
    SITE_NAME: 'Acme Gigs',
    SITE_ACCENT: '#7c2d12',
    OPERATOR_CONTACT: 'ops@gigs.example',
  };
  const { check } = await doctor({ ...env, SITE_LOGO: logo });
  const creators = 'Sign-in with wallet; nobody creates gigs until you set OWNER_CREATE to listed or anybody';
  expect(check('console')).toMatchObject({ mark: 'passed', detail: creators });
  expect(check('site')?.detail).toMatch(
    /^Called Acme Gigs; accent #7c2d12, in the dark #[0-9a-f]{6}; contact mailto:ops@gigs\.example; logo image\/svg\+xml of \d+ bytes$/,
  );
  expect((await doctor()).check('site')).toBeUndefined();
  writeFileSync(logo, svgOf('<script/>'));
  const { failed } = await doctor({ SITE_LOGO: logo });
  expect(failed).toEqual({ site: expect.stringContaining('SITE_LOGO: must be an SVG of shapes alone') });
});

test('error: doctor says which of them does not answer', async () => {
  const env = { SIGN_IN: 'farcaster', FARCASTER_RELAY_URL: optimism.url, RPC_URL_10: relay.url };
  const found = await signInChecks(env);
  expect(found.map(([name, ok]) => [name, ok])).toEqual([
    ['sign in relay', false],
    ['sign in registries', false],
  ]);
  expect(JSON.stringify(found)).not.toContain(relay.url);
});
