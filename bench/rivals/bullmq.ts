import { createHmac, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Queue } from 'bullmq';
import { Hono } from 'hono';

/** The usual way to take webhooks safely: check the signature, add a job to BullMQ under the event's own id, answer 200. */
const { port, redis, secret } = JSON.parse(process.argv[2] ?? '{}') as { port: number; redis: number; secret: string };
const queue = new Queue('mentions', { connection: { host: '127.0.0.1', port: redis } });
const app = new Hono();
app.get('/health', (c) => c.text('ok'));
app.post('/webhooks/farcaster', async (c) => {
  const body = Buffer.from(await c.req.arrayBuffer());
  const expected = createHmac('sha512', secret).update(body).digest();
  const claimed = Buffer.from(c.req.header('x-neynar-signature') ?? '', 'hex');
  if (claimed.length !== expected.length || !timingSafeEqual(claimed, expected))
    return c.json({ error: 'signature' }, 401);
  const { data } = JSON.parse(body.toString()) as {
    data: {
      hash: string;
      text: string;
      author: { fid: number; username: string };
      thread_hash: string;
      timestamp: string;
    };
  };
  const { hash, text, author, thread_hash, timestamp } = data;
  const job = { hash, text, fid: author.fid, username: author.username, thread_hash, timestamp };
  await queue.add('mention', job, { jobId: hash });
  return c.json({ received: true });
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port });
