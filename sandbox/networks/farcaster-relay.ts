import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { NetworkEnv } from './faults.ts';
import { createNetworkServer, type NetworkServer } from './server.ts';

/** What a Farcaster app answers a channel with. */
interface ChannelAnswer {
  readonly message: string;
  readonly signature: string;
  readonly fid: number;
}

interface Channel {
  readonly url: string;
  readonly nonce: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  answer: ChannelAnswer | null;
}

function tokenOf(authorization: string | undefined): string {
  return /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '';
}

/** A relay of Sign In With Farcaster: apps open channels, and people's Farcaster apps answer them. */
export interface FarcasterRelay extends NetworkServer {
  /** The channels so far, by their tokens. */
  readonly channels: ReadonlyMap<string, Channel>;
}

/** The relay's interface as `@farcaster/auth-client` 0.7 uses it, on both sides. Channels are kept in memory. */
export function createFarcasterRelay(): FarcasterRelay {
  const channels = new Map<string, Channel>();
  const app = new Hono<NetworkEnv>();
  const told = (token: string, { url, nonce, parameters, answer }: Channel) => ({
    state: answer === null ? 'pending' : 'completed',
    nonce,
    url,
    channelToken: token,
    signatureParams: parameters,
    acceptAuthAddress: true,
    ...answer,
  });

  app.post('/v1/channel', async (c) => {
    const parameters = await c.req.json<Record<string, unknown>>();
    const { nonce, siweUri, domain } = parameters;
    if (typeof siweUri !== 'string' || typeof domain !== 'string') return c.json({ error: 'bad request' }, 400);
    const channelToken = randomUUID();
    const url = `https://farcaster.xyz/~/siwf?channelToken=${channelToken}`;
    const channel = { url, nonce: typeof nonce === 'string' ? nonce : randomUUID(), parameters, answer: null };
    channels.set(channelToken, channel);
    return c.json({ channelToken, url, nonce: channel.nonce }, 201);
  });
  app.get('/v1/channel/status', (c) => {
    const token = tokenOf(c.req.header('authorization'));
    const channel = channels.get(token);
    if (channel === undefined) return c.json({ error: 'Unauthorized' }, 401);
    return c.json(told(token, channel), channel.answer === null ? 202 : 200);
  });
  app.post('/v1/channel/authenticate', async (c) => {
    const token = tokenOf(c.req.header('authorization'));
    const channel = channels.get(token);
    if (channel === undefined) return c.json({ error: 'Unauthorized' }, 401);
    const { message, signature, fid } = await c.req.json<ChannelAnswer>();
    channel.answer = { message, signature, fid };
    return c.json(told(token, channel), 201);
  });
  const server = createNetworkServer(app);
  return {
    get url() {
      return server.url;
    },
    start: server.start,
    stop: server.stop,
    channels,
  };
}
