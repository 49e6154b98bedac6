import { describe, expect, test } from 'vitest';
import { useRawStore } from './raw.ts';

const MENTION_STATES = ['received', 'answered', 'ignored', 'failed'];
const IGNORE_REASONS = ['opted_out', 'author_limit', 'thread_limit', 'help_already_given', 'gave_up'];
const REPLY_STATES = ['queued', 'sending', 'sent', 'failed', 'unknown'];
/** What may still be done to a reply, which is when somebody may hold it. */
const OPEN = ['queued', 'sending', 'unknown'];

const { sql, exec, run, read, columns } = useRawStore();

function addMention(fields: { state: string; ignoreReason?: string | null; lease?: string | null }): number {
  const { state, ignoreReason = null, lease = null } = fields;
  const insert =
    sql().prepare(`insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, author_username,
      text, posted_at, received_at, source, state, attempts, ignore_reason, last_error, lease, due_at)
    values (1, 'farcaster', 'p' || (select count(*) from mentions), 'r', 't', '7', 'alice', 'hello', 2, 3, 'poll', ?, 4, ?, 'e', ?, 5)`);
  return Number(insert.run(state, ignoreReason, lease).lastInsertRowid);
}

function addReply(mentionId: number, { state, lease = null }: { state: string; lease?: string | null }) {
  const postId = state === 'sent' ? `reply ${mentionId}` : null;
  sql()
    .prepare(`insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts, post_id,
      sent_at, last_error, lease, due_at) values (?, 'farcaster', '7', 't', 'answer', 'hi', 6, ?, 7, ?, ?, 'e', ?, 8)`)
    .run(mentionId, state, postId, postId === null ? null : 9, lease);
}

/** An account with a mention and a reply of every kind there is. */
function addEverything(): void {
  exec("insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '7', 1)");
  for (const state of MENTION_STATES) addMention({ state });
  for (const ignoreReason of IGNORE_REASONS) addMention({ state: 'ignored', ignoreReason });
  addMention({ state: 'received', lease: 'held' });
  for (const state of REPLY_STATES) addReply(addMention({ state: 'answered' }), { state });
  for (const state of OPEN) addReply(addMention({ state: 'answered' }), { state, lease: 'held' });
}

describe('the checks of mentions and replies', () => {
  test('behavior: take every state and every reason there is, and keep what is referred to', () => {
    addEverything();
    expect(read('select count(*) from mentions')).toEqual([18]);
    expect(read('select count(*) from replies')).toEqual([8]);
    expect(run('delete from mentions')).toThrow('FOREIGN KEY constraint failed');
    expect(run('delete from accounts')).toThrow('FOREIGN KEY constraint failed');
    expect(run('delete from platforms')).toThrow('FOREIGN KEY constraint failed');
  });

  test('error: refuse any other, and a lease on what is over', () => {
    addEverything();
    expect(() => addMention({ state: 'Received' })).toThrow('CHECK constraint failed: mentions_state');
    expect(() => addMention({ state: 'ignored', ignoreReason: '' })).toThrow(
      'CHECK constraint failed: mentions_ignore_reason',
    );
    expect(() => addMention({ state: 'failed', lease: 'held' })).toThrow('CHECK constraint failed: mentions_lease');
    const mentionId = addMention({ state: 'answered' });
    expect(() => addReply(mentionId, { state: 'lost' })).toThrow('CHECK constraint failed: replies_state');
    for (const state of ['sent', 'failed']) {
      const held = () => addReply(mentionId, { state, lease: 'held' });
      expect(held, state).toThrow('CHECK constraint failed: replies_lease');
    }
  });

  test('error: refuse a third reply to a mention, and one that is held for nothing known or no longer waits', () => {
    addEverything();
    const mentionId = addMention({ state: 'answered' });
    addReply(mentionId, { state: 'queued' });
    expect(() => addReply(mentionId, { state: 'queued' })).toThrow('UNIQUE constraint failed');
    const set = (change: string) => run(`update replies set ${change} where mention_id = ${mentionId}`);
    expect(set('follow_up = 2')).toThrow('CHECK constraint failed: replies_follow_up');
    expect(set("held_for = 'fun'")).toThrow('CHECK constraint failed: replies_held');
    expect(set("held_for = 'thread', state = 'unknown'")).toThrow('CHECK constraint failed: replies_held');
    expect(set("held_for = 'thread', follow_up = 1")).not.toThrow();
    expect(() => addReply(mentionId, { state: 'queued' })).not.toThrow();
  });

  test('behavior: build no table of their own for a row, as a long list would', () => {
    const opcodes = (table: string) => {
      const names = columns(table);
      const statement = `explain insert into ${table} (${names.join()}) values (${names.map(() => 'null').join()})`;
      return sql()
        .prepare<[], { opcode: string }>(statement)
        .all()
        .map(({ opcode }) => opcode);
    };
    for (const table of ['mentions', 'replies']) {
      expect(opcodes(table), table).toContain('Insert');
      expect(opcodes(table), table).not.toContain('OpenEphemeral');
    }
  });
});
