import { domainManifestSchema, miniAppEmbedNextSchema } from '@farcaster/miniapp-core/dist/schemas/index.js';
import { afterEach, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { seedGig } from '../../support/store.ts';
import { NOW, reopen, service, setUp } from '../service.ts';
import { open, openPages } from './scene.ts';

const PATH = '/.well-known/farcaster.json';
const accountAssociation = { header: 'eyJmaWQiOjF9', payload: 'eyJkb21haW4iOiJhIn0', signature: 'MHgwMA' };
const config = { publicUrl: 'https://gigs.example.com', accountAssociation };

afterEach(() => service.close());

test('behavior: the manifest of the mini app meets the published schema', async () => {
  await setUp(() => openPages({ config }));
  const response = await service.app.request(PATH);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  const manifest: unknown = await response.json();
  const parsed = domainManifestSchema.safeParse(manifest);
  expect(parsed.error?.issues ?? []).toEqual([]);
  expect(parsed.data).toMatchObject({
    accountAssociation,
    miniapp: { homeUrl: 'https://gigs.example.com/gigs', canonicalDomain: 'gigs.example.com' },
  });
});

test('behavior: with notifications it names Neynar’s webhook, and the pages have a button that adds the mini app', async () => {
  const notifications = 'https://api.neynar.com/f/app/1/event';
  await setUp(() => openPages({ config: { ...config, notifications } }));
  await seedGig(service.store, { live: true, startTime: NOW });
  const manifest = domainManifestSchema.parse(await (await service.app.request(PATH)).json());
  expect(manifest.miniapp?.webhookUrl).toBe(notifications);
  const button = '<button id="add-app" class="slim" type="button" hidden>';
  for (const path of ['/gigs', '/gigs/1', '/claim/farcaster/1001']) {
    expect([path, (await open(service, path)).page.split(button).length]).toEqual([path, 2]);
  }
  await reopen(() => openPages({ config }));
  expect(await (await service.app.request(PATH)).text()).not.toContain('webhookUrl');
  expect((await open(service, '/gigs')).page).not.toContain('add-app');
});

test('behavior: it requires those of the enabled chains that the schema knows', async () => {
  await setUp(() => openPages({ config }));
  const { miniapp } = JSON.parse(await (await service.app.request(PATH)).text());
  // The chain of the tests is a local one.
  expect(miniapp.requiredChains).toEqual([]);
});

test('behavior: the account association is there when all three of its settings are', () => {
  const parts = {
    FARCASTER_MANIFEST_HEADER: accountAssociation.header,
    FARCASTER_MANIFEST_PAYLOAD: accountAssociation.payload,
    FARCASTER_MANIFEST_SIGNATURE: accountAssociation.signature,
  };
  expect(loadConfig(parts).accountAssociation).toEqual(accountAssociation);
  expect(loadConfig({ ...parts, FARCASTER_MANIFEST_PAYLOAD: '' }).accountAssociation).toBeNull();
  expect(() => loadConfig({ ...parts, FARCASTER_MANIFEST_HEADER: '{"fid":1}' })).toThrow('FARCASTER_MANIFEST_HEADER');
});

test('error: without the three settings there is no manifest', async () => {
  await setUp(openPages);
  const response = await service.app.request(PATH, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toBe('application/json');
});

function embedOf(page: string): unknown {
  const content = /<meta name="fc:miniapp" content="([^"]*)">/.exec(page)?.[1] ?? 'null';
  return JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

/** A PNG's width and height. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

test('behavior: gigs and their list open as a mini app, with a picture of 3 to 2 each', async () => {
  await setUp(() => openPages({ config }));
  await seedGig(service.store, { live: true, startTime: NOW, title: 'Launch week' });
  for (const path of ['/gigs', '/gigs/1']) {
    const { page } = await open(service, path);
    const parsed = miniAppEmbedNextSchema.safeParse(embedOf(page));
    expect(parsed.error?.issues ?? []).toEqual([]);
    expect(parsed.data?.imageUrl).toBe(`https://gigs.example.com${path}/image.png`);
    expect(page).toContain('/assets/miniapp.js');
    const image = await service.app.request(`${path}/image.png`);
    expect(sizeOf(Buffer.from(await image.arrayBuffer()))).toEqual([1200, 800]);
  }
  const icon = await service.app.request('/icon.png');
  expect(sizeOf(Buffer.from(await icon.arrayBuffer()))).toEqual([1024, 1024]);
  expect((await service.app.request('/gigs/99/image.png')).status).toBe(404);
});
