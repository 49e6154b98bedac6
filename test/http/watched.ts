import { createFarcasterNetwork, type FarcasterNetwork } from '../../sandbox/networks/farcaster.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { NOW, openService, type Service, type ServiceOptions } from './service.ts';

const FARCASTER = {
  apiKey: 'fake-neynar-api-key',
  signerUuid: '00000000-0000-4000-8000-000000000001',
  webhookSecrets: ['fake-webhook-secret'],
  botFid: 9001,
  botUsername: 'gigclaim',
};

/** A service and the Farcaster that it watches. */
export interface WatchedService {
  readonly service: Service;
  readonly farcaster: FarcasterNetwork;
  close(): Promise<void>;
}

/** The app beside a local Farcaster with alice (1001) and bob (1002). */
export async function openWatchedService(options: ServiceOptions = {}): Promise<WatchedService> {
  const clock = () => NOW;
  const farcaster = createFarcasterNetwork({ ...FARCASTER, clock });
  farcaster.addUser({ id: '1001', username: 'alice' });
  farcaster.addUser({ id: '1002', username: 'bob' });
  const adapter = createFarcaster({ ...FARCASTER, baseUrl: await farcaster.start(), clock, timeoutMs: 2_000 });
  const service = await openService({ platforms: new Map([['farcaster', adapter]]), ...options });
  return {
    service,
    farcaster,
    async close() {
      await service.close();
      await farcaster.stop();
    },
  };
}
