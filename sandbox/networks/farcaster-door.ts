import type { Hono } from 'hono';
import { z } from 'zod';
import { showPost } from './door.ts';
import { type NetworkChange, newAct, type Performer } from './farcaster-perform.ts';
import type { NetworkEnv } from './faults.ts';
import { UnknownUserError } from './network.ts';

function shown(change: NetworkChange | null) {
  if (change === null) return { changed: false };
  return 'post' in change
    ? { changed: true, type: change.type, post: showPost(change.post) }
    : { changed: true, type: change.type };
}

/** Adds to a door what people do on Farcaster besides posting: like, recast, follow, quote, undo, delete. */
export function addActs(door: Hono<NetworkEnv>, { act }: Performer): Hono<NetworkEnv> {
  door.post('/acts', async (c) => {
    const body = newAct.safeParse(await c.req.json().catch(() => null));
    if (!body.success) {
      return c.json({ error: `expected {who, kind, post or account}: ${z.prettifyError(body.error)}` }, 400);
    }
    try {
      return c.json(shown(act(body.data)));
    } catch (error) {
      if (!(error instanceof UnknownUserError) && !(error instanceof RangeError)) throw error;
      return c.json({ error: error.message }, 404);
    }
  });
  return door;
}
