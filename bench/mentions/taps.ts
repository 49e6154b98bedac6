import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { BOT } from '../../sandbox/people.ts';
import { createPoster } from '../clients.ts';
import { startNeynar } from '../neynar.ts';
import type { Source } from './sources.ts';

/** How many accounts look, so that each is seen again within the minute for which its key is remembered. */
const LOOKERS = 50;
/** That a key is in use, and signs for its account. */
const IN_USE = `0x${['1', '1'].map((word) => word.padStart(64, '0')).join('')}`;

/** An endpoint of chain 10 whose registry knows every key, and counts the questions. */
export async function startRegistry() {
  let asked = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked += 1;
    void json(request).then((body) => {
      const { id } = body as { id: number };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: IN_USE }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the registry has no port');
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}`, asked: () => asked, stop };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs taps as an app does, none twice. */
export function createSigner(audience: string): (fid: number) => string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const key = `0x${Buffer.from(x, 'base64url').toString('hex')}`;
  let count = 0;
  return (fid) => {
    count += 1;
    const timestamp = Math.floor(Date.now() / 1_000);
    const said = { fid, inputs: { count }, timestamp, audience, user: { fid }, surface: { type: 'standalone' } };
    const signed = `${encoded({ fid, type: 'app_key', key })}.${encoded(said)}`;
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  };
}

/** What a service needs that takes taps without limits. */
export const tapEnvironment = ({ url }: { readonly url: string }) => ({
  SNAPS: 'true',
  RPC_URL_10: url,
  CLAIM_RATE_LIMIT_PER_MINUTE: '1000000000',
  CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: '1000000000',
});

async function startTaps(kind: { path: string; fidOf: (count: number) => number; name: string }): Promise<Source> {
  const [neynar, registry] = [await startNeynar(BOT.fid), await startRegistry()];
  let answered = 0;
  return {
    platform: kind.name,
    env: { NEYNAR_BASE_URL: neynar.url, ...tapEnvironment(registry) },
    deliverTo(port) {
      const post = createPoster(port, 200);
      const signed = createSigner(`http://127.0.0.1:${port}`);
      let count = 0;
      return async () => {
        count += 1;
        await post(kind.path, signed(1_000_000 + kind.fidOf(count)), {});
        answered += 1;
      };
    },
    replies: () => answered,
    stop: () => {
      neynar.stop();
      registry.stop();
    },
  };
}

/** Taps that look, by accounts whose keys are remembered. */
export function startLookSource(): Promise<Source> {
  return startTaps({ name: 'a tap that looks', path: '/tap', fidOf: (count) => count % LOOKERS });
}

/** Taps that would claim, and for which the registry is always asked. There is nothing to claim. */
export function startClaimSource(): Promise<Source> {
  return startTaps({ name: 'a tap that claims', path: '/tap/claim', fidOf: (count) => count });
}
