import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/bot/commands/index.ts';
import { parseXEvents, toPost } from '../../../src/platforms/x/payload.ts';
import { readPost } from '../../../src/platforms/x/post.ts';
import accountActivity from '../../fixtures/twitter/account-activity.json' with { type: 'json' };
import mention from '../../fixtures/twitter/mention.json' with { type: 'json' };
import newMention from '../../fixtures/twitter/mention-new.json' with { type: 'json' };
import reply from '../../fixtures/twitter/reply.json' with { type: 'json' };
import newReply from '../../fixtures/twitter/reply-new.json' with { type: 'json' };
import newRepost from '../../fixtures/twitter/repost-new.json' with { type: 'json' };

const BOT = { id: '1111111111111111111', username: 'ExampleUser' };
const BOT_ENTITY = { start: 0, end: 12, username: 'ExampleUser', id: BOT.id };

type Event = typeof mention | typeof reply | typeof newMention | typeof newReply;

function withPost(from: Event, change: Record<string, unknown>) {
  return { data: { ...from.data, payload: { ...from.data.payload, ...change } } };
}

/** The one mention in a post: of the bot, at this place, unless said otherwise. */
function mentioned(start: number, change: object = {}) {
  return { mentions: [{ ...BOT_ENTITY, start, ...change }] };
}

function texts(body: unknown): string[] {
  return parseXEvents(body, BOT).map(({ text }) => text);
}

describe('an event of the X Activity API', () => {
  const MENTION = { kind: 'mention', version: 1, platform: 'twitter', authorId: '2222222222222222222' };

  test('behavior: a post that names the bot is a mention', () => {
    const [postId, postedAt] = ['2080765813578191303', 1_784_928_203_000];
    const read = { postId, replyTo: postId, threadId: postId, text: 'hey @ExampleUser claims', postedAt };
    expect(parseXEvents(mention, BOT)).toEqual([{ ...MENTION, ...read, authorUsername: 'OtherUser' }]);
  });

  test('behavior: a reply with the handle typed again is one, with its own text alone; a negative event id and no includes do no harm', () => {
    const [postId, threadId] = ['2080770000000000001', '2080765813578191303'];
    const read = { postId, replyTo: postId, threadId, text: '@ExampleUser gig 42', postedAt: 1_784_929_201_000 };
    expect(parseXEvents(reply, BOT)).toEqual([{ ...MENTION, ...read, authorUsername: null }]);
  });

  test('behavior: in the new vocabulary the same events are the same mentions', () => {
    expect(parseXEvents(newMention, BOT)).toEqual(parseXEvents(mention, BOT));
    expect(parseXEvents(newReply, BOT)).toEqual(parseXEvents(reply, BOT));
    const edited = { id: '2080765813578191399', edit_history_post_ids: ['2080765813578191303', '2080765813578191399'] };
    const keyed = { postId: '2080765813578191303', replyTo: '2080765813578191399' };
    expect(parseXEvents(withPost(newMention, edited), BOT)).toMatchObject([keyed]);
    expect(texts({ data: { ...newMention.data, event_type: 'post.quote.create' } })).toEqual(texts(mention));
    const note = { text: `${'long '.repeat(60)}@ExampleUser claims`, entities: mentioned(300) };
    expect(texts(withPost(newMention, { text: 'long…', entities: undefined, note_post: note }))).toEqual([note.text]);
    expect(texts(withPost(newMention, newRepost.data))).toEqual([]);
    const repost = { referenced_posts: [{ type: 'reposted', id: '5' }] };
    expect(texts(withPost(newMention, repost))).toEqual([]);
  });

  test.each([
    ['@ExampleUser claims', 0, '@ExampleUser claims'],
    ['@OldName, claims', 0, '@ExampleUser, claims'],
    ['\u{1f680} hey @OldName', 6, '\u{1f680} hey @ExampleUser'],
    ['@OldName@third claims', 0, '@ExampleUser @third claims'],
    ['claims', 0, 'claims'],
    ['hey @OldName', 0, 'hey @OldName'],
    ['  @OldName claims', 2, '@ExampleUser claims'],
  ])('behavior: of %j with the bot’s id at %i the handle is the present one', (text, start, read) => {
    const entities = { mentions: [{ start, end: start + 8, username: 'OldName', id: BOT.id }] };
    const range = { display_text_range: [0, [...text].length] };
    expect(texts(withPost(newMention, { text, entities, ...range }))).toEqual([read]);
  });

  test('security: another account that has the name of the bot is not the bot', () => {
    const text = '@NewName start 42 @ExampleUser';
    const mentions = [
      { start: 0, username: 'NewName', id: BOT.id },
      { start: 18, username: 'ExampleUser', id: '7' },
    ];
    const post = { text, entities: { mentions }, display_text_range: [0, text.length] };
    expect(texts(withPost(newMention, post))).toEqual(['@ExampleUser start 42 @7']);
  });

  test('behavior: what X puts for a photo or a quoted post inside the range of the text leaves a look-up a look-up', () => {
    const text = '@ExampleUser claims https://t.co/AbC1';
    const entities = { mentions: [BOT_ENTITY], urls: [{ start: 20, end: 37, url: 'https://t.co/AbC1' }] };
    for (const range of [{ display_text_range: [0, 37] }, { display_text_range: [0, 19] }]) {
      const [said] = texts(withPost(newMention, { text, entities, ...range }));
      expect(parseCommand(said ?? '', BOT)).toEqual({ name: 'claims' });
    }
  });

  test('behavior: the plain text of a post has neither handles nor the links that X puts there', () => {
    const text = '@third claim my rewards https://t.co/AbC1 https://example.com @ExampleUser';
    const entities = {
      mentions: [
        { start: 0, username: 'third', id: '3' },
        { ...BOT_ENTITY, start: 62 },
      ],
    };
    const payload = { ...newMention.data.payload, text, entities, display_text_range: [0, text.length] };
    const plain = (change: object) => {
      const post = readPost({ ...payload, ...change });
      return post && toPost(post, undefined)?.plainText;
    };
    expect(plain({})).toBe('  claim my rewards   https://example.com  ');
    expect(plain({ display_text_range: [7, text.length] })).toBe('claim my rewards   https://example.com  ');
    expect(plain({ referenced_posts: [{ type: 'reposted', id: '5' }] })).toBe('');
  });

  test.each([
    [undefined, undefined],
    [[], undefined],
    [undefined, ['']],
    [['2080765813578190000'], undefined],
    [[null, '2080765813578191303'], undefined],
  ])(
    'security: with the histories %j and %j it may be an edit of an answered post, and is left to polling',
    (byNew, byOld) => {
      const change = { edit_history_post_ids: byNew, edit_history_tweet_ids: byOld };
      expect(parseXEvents(withPost(mention, change), BOT)).toEqual([]);
      const usable = { edit_history_post_ids: byNew, edit_history_tweet_ids: [mention.data.payload.id] };
      expect(texts(withPost(mention, usable))).toHaveLength(1);
    },
  );

  test('security: handles before a text that may be a reply are not its author’s own', () => {
    const open = { text: '@ExampleUser claims', entities: mentioned(0), display_text_range: undefined };
    const thread = (conversation_id: string | undefined) => texts(withPost(newMention, { ...open, conversation_id }));
    expect(thread('2080765813578191303')).toEqual(['@ExampleUser claims']);
    expect(thread('2080765813578190000')).toEqual([]);
    expect(thread(undefined)).toEqual([]);
  });

  test('behavior: U+0000 in a text, a long text or a handle is replaced', () => {
    const nul = { text: 'hey @ExampleUser cla\0ims' };
    const { data } = withPost(newMention, nul);
    const users = [
      { id: BOT.id, username: 'ExampleUser' },
      { id: '2222222222222222222', username: 'Other\0User' },
    ];
    expect(parseXEvents({ data: { ...data, includes: { users } } }, BOT)).toMatchObject([
      { text: 'hey @ExampleUser cla\ufffdims', authorUsername: 'Other\ufffdUser' },
    ]);
    expect(texts(withPost(newMention, { note_post: nul }))).toEqual(['hey @ExampleUser cla\ufffdims']);
  });

  test.each([
    ['its author', { author_id: undefined }],
    ['its versions', { edit_history_tweet_ids: undefined }],
    ['any of its versions', { edit_history_tweet_ids: [] }],
    ['where its own text begins', { display_text_range: undefined, conversation_id: undefined }],
  ])('security: a post of which X leaves out %s is none', (_what, change) => {
    const read = readPost({ ...mention.data.payload, ...change });
    expect(read && toPost(read, undefined)).toBeNull();
    expect(read).not.toBeNull();
  });

  const IMPLICIT = {
    text: '@ExampleUser thank you',
    display_text_range: undefined,
    entities: mentioned(0),
  };
  const LONG = {
    text: `@third ${'long '.repeat(50)}…`,
    display_text_range: [7, 258],
    entities: mentioned(0, { username: 'third', id: '3' }),
  };
  const atFour = (change: object) => ({ entities: mentioned(4, change) });
  const BOT_AT_FOUR = { ...BOT_ENTITY, start: 4 };
  const HEY = ['hey @ExampleUser claims'];
  const TAIL = `${'long '.repeat(60)}@ExampleUser claims`;

  test.each<[what: string, from: Event, change: Record<string, unknown>, said: string[]]>([
    ['the handle that X puts before a reply does not count', reply, { ...IMPLICIT, display_text_range: [13, 22] }, []],
    ['that handle does not count without the range of the text', reply, IMPLICIT, []],
    [
      'nor does the second of them',
      reply,
      { ...IMPLICIT, text: '@third  @ExampleUser thank you', entities: mentioned(8) },
      [],
    ],
    [
      'that handle does not count without a reference to a post',
      reply,
      { ...IMPLICIT, referenced_tweets: undefined },
      [],
    ],
    [
      'in_reply_to_user_id makes no reply of a post that begins with the handle',
      mention,
      { ...IMPLICIT, text: '@ExampleUser claims', in_reply_to_user_id: BOT.id },
      ['@ExampleUser claims'],
    ],
    [
      'positions are code points, so characters beyond 16 bits shift nothing',
      reply,
      { text: '@third 🎉🎉 @ExampleUser claims', display_text_range: [7, 29], entities: mentioned(10) },
      ['🎉🎉 @ExampleUser claims'],
    ],
    [
      'a former handle behind those that X puts before a reply is the present one',
      reply,
      { text: '@third hey @OldName claims', display_text_range: [7, 26], entities: mentioned(11) },
      ['hey @ExampleUser claims'],
    ],
    [
      'without an id a handle that X says is another’s stays as it is',
      mention,
      {
        text: 'hey @ExampleUser ask @ExampleUser',
        display_text_range: [0, 33],
        entities: { mentions: [BOT_AT_FOUR, { start: 21, username: 'third' }] },
      },
      ['hey @ExampleUser ask @ExampleUser'],
    ],
    [
      'a name before the text shifts nothing with such characters',
      mention,
      { text: '𝕏𝕏𝕏 claims', display_text_range: [3, 10], entities: mentioned(3) },
      ['claims'],
    ],
    [
      'such a name moves no handle in the text',
      mention,
      { text: '𝕏𝕏𝕏 hey @OldName claims', display_text_range: [3, 23], entities: mentioned(8) },
      HEY,
    ],
    [
      'without an id the handle decides, without case',
      mention,
      atFour({ id: undefined, username: 'EXAMPLEuser' }),
      HEY,
    ],
    [
      'without an id a longer handle is another account',
      mention,
      atFour({ id: undefined, username: 'ExampleUsers' }),
      [],
    ],
    ['with an id the id decides', mention, atFour({ username: 'RenamedSince' }), HEY],
    ['with another id the bot is not meant', mention, atFour({ id: '9', username: 'ExampleUser' }), []],
    [
      'a long post has its text and its mentions in note_tweet',
      reply,
      { ...LONG, note_tweet: { text: `@third ${TAIL}`, entities: mentioned(307) } },
      [TAIL],
    ],
    [
      'a note_tweet may begin without the handle that the text has',
      reply,
      { ...LONG, note_tweet: { text: TAIL, entities: mentioned(300) } },
      [TAIL],
    ],
    ['a long post without note_tweet has no mention', reply, LONG, []],
    [
      'of a quote or a picture only the author’s own text is kept',
      mention,
      {
        text: 'hey @ExampleUser claims https://t.co/AbCdEf1234',
        display_text_range: [0, 23],
        referenced_tweets: [{ type: 'quoted', id: '5' }],
      },
      HEY,
    ],
    [
      'of several links behind the range of the text none is kept',
      mention,
      { text: 'hey @ExampleUser claims https://t.co/Ab1 https://t.co/Cd2', display_text_range: [0, 24] },
      HEY,
    ],
    ...['and more', 'and https://t.co/Ab1', 'https://t.co/Ab1 too'].map(
      (more): [string, Event, Record<string, unknown>, string[]] => [
        `a text that shows more than the range of another is kept whole: ${more}`,
        mention,
        { text: `hey @ExampleUser claims ${more}` },
        [`hey @ExampleUser claims ${more}`],
      ],
    ),
  ])('behavior: %s', (_what, from, change, said) => {
    expect(texts(withPost(from, change))).toEqual(said);
  });

  test('behavior: an edit is keyed on the first version and answered at the newest', () => {
    const ids = ['2080765813578191303', '2080765813578191399'];
    const edited = withPost(mention, { id: ids[1], edit_history_tweet_ids: ids });
    expect(parseXEvents(edited, BOT)).toMatchObject([{ postId: ids[0], replyTo: ids[1] }]);
  });

  test('behavior: data may be a list, and what came along may stand beside it; one post is one mention', () => {
    const { includes, ...bare } = mention.data;
    const list = { data: [bare, { ...bare, event_type: 'post.reply.create' }, { ...reply.data }], includes };
    const authors = (body: object) =>
      parseXEvents(body, BOT).map(({ postId, authorUsername }) => [postId, authorUsername]);
    expect(authors(list)).toEqual([
      ['2080765813578191303', 'OtherUser'],
      ['2080770000000000001', null],
    ]);
    expect(authors({ data: bare, includes: {} })).toEqual([['2080765813578191303', null]]);
  });

  test.each([undefined, 'yesterday', '+200000-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    'behavior: without created_at, or with the odd one %j, the id tells the time',
    (created_at) => {
      const id = '1541815603606036480';
      const [post] = parseXEvents(withPost(mention, { id, created_at, edit_history_tweet_ids: [id] }), BOT);
      expect(post?.postedAt).toBe(1_656_432_460_105);
    },
  );

  test.each([
    { created_at: 4 },
    { conversation_id: 2080765813578191303n.toString().length },
    { referenced_tweets: [null, 7] },
    { note_tweet: 'x' },
    { display_text_range: [0] },
    { entities: { mentions: [null, { start: 'x' }, { start: 0 }, { ...BOT_ENTITY, start: 4 }], urls: 4 } },
  ])('behavior: an optional part that is odd, %j, costs no mention', (change) => {
    expect(parseXEvents(withPost(mention, change), BOT)).toHaveLength(1);
  });

  test.each([
    ['the bot’s own post', withPost(mention, { author_id: BOT.id })],
    ['a repost', withPost(mention, { referenced_tweets: [{ type: 'retweeted', id: '5' }] })],
    ['a post without an id', withPost(mention, { id: undefined })],
    ['an id as a number, which has lost its last digits', withPost(mention, { id: 5 })],
    ['an id with a zero in front, which is no other way to write it', withPost(mention, { id: '05' })],
    ['an author with a zero in front', withPost(mention, { author_id: '00123' })],
    ['a post without a text', withPost(mention, { text: undefined })],
    ['a post without an author', withPost(mention, { author_id: undefined })],
    ['a post without mentions', withPost(mention, { entities: undefined })],
    ['another event', { data: { ...mention.data, event_type: 'follow.follow' } }],
    ['the end of a replay', { replay_job_status: { webhook_id: '1', job_state: 'Complete', job_id: '2' } }],
    ['the older Account Activity API', accountActivity],
    ['nothing', null],
    ['a list', [mention]],
    ['a text', 'data'],
  ])('behavior: %s is of no interest', (_name, body) => {
    expect(parseXEvents(body, BOT)).toEqual([]);
  });

  test('security: a long post that is full of handles is read once, not once for each of them', () => {
    const count = 30_000;
    const handles = Array.from({ length: count }, (_, index) => ({ start: 4 + index * 3, username: 'g', id: BOT.id }));
    const note = { text: `hey ${'@g '.repeat(count)}claims`, entities: { mentions: handles } };
    expect(texts(withPost(mention, { note_tweet: note }))).toEqual([`hey ${'@ExampleUser '.repeat(count)}claims`]);
  });

  test('behavior: no JSON value makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (data, part) => {
        expect(parseXEvents({ data }, BOT)).toEqual([]);
        parseXEvents(withPost(mention, { entities: part, note_tweet: part, display_text_range: part }), BOT);
      }),
    );
  });
});

describe('the three characters that X escapes', () => {
  // Escaped once more, an entity that the author has typed stays as it was typed.
  const start = 'Q&amp;A: 1 &lt; 2 &amp;lt; ';
  const escaped = {
    text: `${start}@ExampleUser&gt; claims`,
    display_text_range: [0, 200],
    entities: mentioned(start.length),
  };

  test('behavior: are as their author wrote them in a command, while places count in the escaped text', () => {
    expect(texts(withPost(mention, escaped))).toEqual(['Q&A: 1 < 2 &lt; @ExampleUser> claims']);
  });

  test('behavior: are as their author wrote them in what people and verifiers see of a post', () => {
    const post = readPost({ ...mention.data.payload, ...escaped });
    expect(post && toPost(post, undefined)).toMatchObject({
      text: 'Q&A: 1 < 2 &lt; @ExampleUser> claims',
      plainText: 'Q&A: 1 < 2 &lt;  > claims',
    });
  });
});
