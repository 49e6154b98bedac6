import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ask } from '../../support/clients.ts';
import { openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 15_000;

let world: World;
beforeEach(async () => {
  world = await openWorld({ env: { MENTION_POLL_SECONDS: '1' } });
});
afterEach(() => world.close());

describe.each(['old', 'new'] as const)('a service beside an X that knows the %s vocabulary alone', (dialect) => {
  beforeEach(() => {
    world.x.manners.dialect = dialect;
  });

  const replies = () => world.runtime.store.replies({ limit: 10 });

  test('security: a reply of which the answer was lost is found and counts as sent, without a second attempt', async () => {
    Object.assign(world.x.faults, { api: 'drop_answer', route: 'reply', remaining: 1 });
    const post = world.x.post({ author: 'bob', text: '@gigclaim claims' });
    await vi.waitFor(async () => expect((await replies()).map(({ state }) => state)).toEqual(['sent']), PATIENCE_MS);
    const [posted] = world.x.repliesTo(post.id);
    expect(await replies()).toMatchObject([{ postId: posted?.id, attempts: 1 }]);
    expect(world.x.repliesTo(post.id)).toHaveLength(1);
  });

  test('security: a mention and its edit are one mention and one reply, delivered or polled', async () => {
    for (const webhook of ['normal', 'never'] as const) {
      world.x.faults.webhook = webhook;
      const first = world.x.post({ author: 'bob', text: '@gigclaim help' });
      const second = world.x.post({ author: 'bob', text: '@gigclaim help!', editOf: first.id });
      const versions = [first.id, second.id];
      const answers = () => versions.flatMap((id) => world.x.repliesTo(id));
      await vi.waitFor(() => expect(answers()).toHaveLength(1), PATIENCE_MS);
      // A later mention is answered after everything before it.
      await ask(world.x, 'carol', 'help');
      expect(answers()).toHaveLength(1);
      const known = await world.runtime.store.mentions({ limit: 10 });
      expect(known.filter(({ postId }) => versions.includes(postId))).toHaveLength(1);
    }
  });
});
