import type { IncomingMessage } from 'node:http';
import type { PlatformEvent, SocialPlatform } from '../domain/mention.ts';
import { platformFacts } from '../domain/platforms.ts';
import type { RootLog } from '../log.ts';
import { receiveMentions } from '../services/mentions/receive-mentions.ts';
import { createLaneEnd, type Lane } from './front.ts';
import { MAX_BODY_BYTES } from './middleware/body.ts';
import type { Taken } from './taken.ts';
import { ACCEPTED, countAccepted, type WebhookDeps, webhookPath } from './webhooks.ts';

const BODY = JSON.stringify(ACCEPTED);

/** Reads a body whose length was announced; null when the caller went away in the middle. */
function readAnnounced(incoming: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    incoming.once('error', () => resolve(null));
    incoming.once('close', () => resolve(null));
  });
}

/** The deliveries of one network that are signed and can be stored. */
export function createWebhookLane(deps: WebhookDeps & { readonly log: RootLog }, network: SocialPlatform): Lane {
  const { platform } = network;
  const path = webhookPath(platform);
  const { signatureHeader } = platformFacts(platform);
  const end = createLaneEnd(deps, { method: 'POST', path });

  /** How many mentions were new, or null when it is not for this lane to say what is wrong. */
  async function accept(raw: Buffer, request: Taken): Promise<number | null> {
    const signature = request.incoming.headers[signatureHeader];
    if (typeof signature !== 'string' || !network.verify(raw, signature)) return null;
    const events = parse(raw);
    if (events === null) return null;
    const { requestId } = request;
    try {
      return (await receiveMentions(deps, events, { source: 'webhook', requestId })).length;
    } catch (error) {
      request.fault = error;
      return null;
    }
  }

  function parse(raw: Buffer): PlatformEvent[] | null {
    try {
      return network.parse(raw);
    } catch {
      // The app meets the same error, and tells of it.
      return null;
    }
  }

  async function take(request: Taken, pass: () => void): Promise<void> {
    const { incoming } = request;
    const raw = await readAnnounced(incoming);
    const stored = raw === null ? null : await accept(raw, request);
    if (stored === null) {
      // Where @hono/node-server looks for a body that was read before; one that broke off it finds broken.
      if (raw !== null) Object.assign(incoming, { rawBody: raw });
      pass();
      return;
    }
    countAccepted(deps.metrics, platform, stored);
    end(request, { body: BODY, headers: [] });
  }

  return {
    takes: ({ method, url, headers }) =>
      method === 'POST' && url === path && Number(headers['content-length']) <= MAX_BODY_BYTES,
    take: (request, pass) => void take(request, pass),
  };
}
