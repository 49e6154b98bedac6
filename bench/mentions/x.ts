import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { BOT, NETWORK_CREDENTIALS } from '../../sandbox/people.ts';

/** An X that takes every post at once, and of which nobody mentions the bot but by webhook. */
export interface StandInForX {
  readonly url: string;
  /** How many replies it has got. */
  replies(): number;
  stop(): void;
}

const FIRST_ID = 2_080_000_000_000_000_000n;

export async function startX(): Promise<StandInForX> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in for X has no port');
  let replies = 0;
  server.on('request', (request: IncomingMessage, response) => {
    const answer = (status: number, body: object) => {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    };
    if (request.method !== 'POST') {
      answer(200, { meta: { result_count: 0 } });
      return;
    }
    void json(request).then((body) => {
      replies += 1;
      // X's SDK sends it.
      const { text } = body as { text: string };
      answer(201, { data: { id: String(FIRST_ID + 1_000_000_000n + BigInt(replies)), text } });
    });
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    replies: () => replies,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The event of the post with this number, which mentions the bot, signed as X does. */
export function signedPost(number: number, text: string): { body: string; signature: string } {
  const id = String(FIRST_ID + BigInt(Date.now()) * 1_000n + BigInt(number));
  const author = String(1_600_000_000_000_000_000n + BigInt(number));
  const whole = `@${BOT.username} ${text}`;
  const post = {
    id,
    text: whole,
    author_id: author,
    conversation_id: id,
    created_at: new Date().toISOString(),
    edit_history_post_ids: [id],
    display_text_range: [0, whole.length],
    entities: { mentions: [{ start: 0, end: BOT.username.length + 1, username: BOT.username, id: BOT.xUserId }] },
    reply_settings: 'everyone',
    lang: 'und',
  };
  const users = [{ id: author, username: `poster${number}`, name: `Poster ${number}` }];
  const includes = { users, posts: [post] };
  const filter = { user_id: BOT.xUserId };
  const event_type = 'post.mention.create';
  const body = JSON.stringify({
    data: { event_uuid: id, filter, event_type, tag: 'mentions', payload: post, includes },
  });
  const secret = NETWORK_CREDENTIALS.twitter.appSecret;
  return { body, signature: `sha256=${createHmac('sha256', secret).update(body).digest('base64')}` };
}
