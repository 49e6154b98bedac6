import { describe, expect, test } from 'vitest';
import { sampleMention } from '../../support/store.ts';
import { triggersOf } from './earlier.ts';
import { useRawStore } from './raw.ts';

const { write, sql, exec, read } = useRawStore();

/** Waiting mentions of one author. */
function addMentions(count: number): void {
  exec(`insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '7', 1)`);
  for (let number = 1; number <= count; number += 1) {
    exec(`insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, text, posted_at,
        received_at, source, state, attempts, due_at)
      values (1, 'farcaster', 'p${number}', 'r', 't', '7', 'hello', 2, 3, 'poll', 'received', 0, 5)`);
  }
}

describe('the kept counts', () => {
  test('behavior: follow statements that no method of the store makes', () => {
    const counts = () =>
      read("select state || ' ' || n from state_counts where subject = 'mentions' and n > 0 order by state");
    addMentions(4);
    // Those that wait are counted in their index.
    expect(counts()).toEqual([]);
    exec("update mentions set state = 'failed' where id < 3");
    exec("update mentions set state = 'answered' where id in (1, 3)");
    expect(counts()).toEqual(['answered 2', 'failed 1']);
    exec("update mentions set state = 'received' where id = 2");
    exec('delete from mentions where id in (1, 4)');
    expect(counts()).toEqual(['answered 1']);
    expect(read('select state from mentions order by id')).toEqual(['received', 'answered']);
  });

  test('behavior: every table that is counted has its triggers', () => {
    const names = triggersOf(sql());
    const counted = ['replies', 'payments'].map((table) => `${table}_count_insert`);
    for (const table of ['mentions', 'replies', 'payments']) {
      counted.push(`${table}_count_update`, `${table}_count_delete`);
    }
    expect(names).toEqual(expect.arrayContaining([...counted, 'mentions_next_leads', 'mentions_next_leads_on_delete']));
  });
});

describe('the queue of one author', () => {
  test('security: takes one place among what may be leased, however long it is', async () => {
    const insert = (number: number, authorId: string) =>
      write.insertMention(sampleMention({ postId: `p${number}`, authorId }), { now: number, source: 'webhook' });
    await Promise.all(Array.from({ length: 2_000 }, (_, number) => insert(number, '7')));
    await insert(2_000, '8');
    const visited =
      "select id from mentions indexed by mentions_due where mentions.state = 'received' and mentions.behind = 0";
    expect(read(visited)).toEqual([1, 2001]);
  });

  test('behavior: the next of an author leads when an operator deletes the first', () => {
    addMentions(2);
    exec('update mentions set behind = 1 where id = 2');
    exec('delete from mentions where id = 1');
    expect(read('select behind from mentions')).toEqual([0]);
  });

  test('behavior: the next that leads is found in an index', () => {
    const plan = sql()
      .prepare<[], { detail: string }>(
        "explain query plan select min(id) from mentions where state = 'received' and platform = 'x' and author_id = '7'",
      )
      .all();
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH mentions USING COVERING INDEX mentions_waiting_by_author (platform=? AND author_id=?)',
    ]);
  });
});
