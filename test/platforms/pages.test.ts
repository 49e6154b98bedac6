import { describe, expect, test } from 'vitest';
import { readAll, walkPages } from '../../src/platforms/pages.ts';
import newPost from '../fixtures/twitter/post-new.json' with { type: 'json' };
import { byPath, failureOf, NOW, openFarcaster, openTwitter, openWire } from './setup.ts';

const CALL = { network: 'X', what: 'list things', sends: false };

interface Items {
  readonly items: string[];
  readonly next?: string | null;
}

/** A list in memory; `pages` has what each cursor answers. */
function listOfPages(pages: Record<string, Items>, most = 5) {
  const asked: (string | null)[] = [];
  const read = async (cursor: string | null): Promise<Items> => {
    asked.push(cursor);
    return pages[cursor ?? 'first'] ?? { items: [] };
  };
  return { asked, list: { call: CALL, most, read, next: ({ next }: Items) => next } };
}

describe('a list of pages', () => {
  test.each<[string, string | null | undefined]>([
    ['empty', ''],
    ['absent', undefined],
    ['null', null],
    ['the one that was sent', 'b'],
  ])('behavior: ends at a cursor that is %s', async (_, last) => {
    const { list, asked } = listOfPages({
      first: { items: ['1', '2'], next: 'b' },
      b: { items: ['3'], ...(last === undefined ? {} : { next: last }) },
    });
    expect(await readAll(list, ({ items }) => items)).toEqual(['1', '2', '3']);
    expect(asked).toEqual([null, 'b']);
  });

  test('error: with more pages than it may have is an error that says so', async () => {
    const { list } = listOfPages({ first: { items: [], next: 'b' }, b: { items: [], next: 'c' }, c: { items: [] } }, 2);
    const failure = await failureOf(readAll(list, ({ items }) => items));
    expect(failure.message).toBe('X gave no usable answer to “list things”: it has more than 2 pages');
  });

  test('error: goes on where it was after a failure', async () => {
    const { list, asked } = listOfPages({ first: { items: ['1'], next: 'b' }, b: { items: ['2'] } });
    let fails = true;
    const walk = walkPages({
      ...list,
      read: (cursor) => {
        if (cursor !== 'b' || !fails) return list.read(cursor);
        fails = false;
        return Promise.reject(new TypeError('no'));
      },
    });
    expect((await walk.next())?.items).toEqual(['1']);
    await expect(walk.next()).rejects.toThrow('no');
    expect([(await walk.next())?.items, await walk.next(), walk.isOver()]).toEqual([['2'], null, true]);
    expect(asked).toEqual([null, 'b']);
  });
});

const OWN_ID = newPost.data.id;

describe.each(['', 'again-and-again-and'])('the lists of X, when their next page is “%s”', (next_token) => {
  test('error: a poll, a look for a reply and the subscriptions end', async () => {
    const wire = await openWire(
      byPath((path) => {
        if (path.startsWith('/oauth2')) return { token_type: 'bearer', access_token: 'fake' };
        if (path.startsWith('/2/webhooks')) return { data: [] };
        if (path.startsWith('/2/activity')) return { data: [], meta: { next_token } };
        return { data: [], meta: { result_count: 0, next_token } };
      }),
    );
    const x = await openTwitter(wire.url);
    expect(await x.pollEvents({ cursor: null, since: NOW })).toEqual({ events: [], cursor: null });
    expect(await x.findReply({ replyTo: OWN_ID, threadId: OWN_ID })).toBeNull();
    expect(await x.findReply({ replyTo: OWN_ID, threadId: OWN_ID, earlier: true })).toBeNull();
    expect(await x.listWebhooks()).toEqual([]);
    // Each list at most twice: the second page names itself.
    expect(wire.requests.filter(({ path }) => !/oauth2|webhooks/.test(path)).length).toBe(next_token === '' ? 4 : 8);
  });
});

describe.each(['', 'again-and-again-and'])('the lists of Farcaster, when their next page is “%s”', (cursor) => {
  test('error: a poll and a look for a reply end', async () => {
    const hash = `0x${'c2'.repeat(20)}`;
    const conversation = { cast: { hash, direct_replies: [] } };
    const wire = await openWire(
      byPath((path) => {
        const list = path.includes('/notifications') ? { notifications: [] } : { conversation };
        return { ...list, next: { cursor } };
      }),
    );
    const farcaster = openFarcaster(wire.url);
    expect(await farcaster.pollEvents({ cursor: null, since: NOW })).toEqual({ events: [], cursor: null });
    expect(await farcaster.findReply({ replyTo: hash, threadId: hash })).toBeNull();
    expect(wire.requests).toHaveLength(cursor === '' ? 2 : 4);
  });
});

describe('a list that does not end', () => {
  test('error: breaks a poll of either platform off, says so, and keeps its cursor', async () => {
    let page = 0;
    const wire = await openWire(
      byPath((path) => {
        page += 1;
        if (path.includes('/notifications')) return { notifications: [], next: { cursor: `c${page}` } };
        return { data: [], meta: { result_count: 0, next_token: `c${page}` } };
      }),
    );
    const x = await (await openTwitter(wire.url)).pollEvents({ cursor: OWN_ID, since: NOW });
    expect(x).toMatchObject({ events: [], cursor: OWN_ID, brokenOff: { reason: 'bad_response' } });
    expect(x.brokenOff?.message).toBe(
      "X gave no usable answer to “list the bot's mentions”: it has more than 10 pages",
    );
    const farcaster = await openFarcaster(wire.url).pollEvents({ cursor: '5', since: NOW });
    expect(farcaster).toMatchObject({ events: [], cursor: '5' });
    expect(farcaster.brokenOff?.message).toContain('it has more than 80 pages');
  });
});
