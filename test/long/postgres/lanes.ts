import type { Store } from '../../../src/store/port/index.ts';
import { sampleMention } from '../../support/store.ts';

/** The posts of mentions that were told as stored, and what else was told. */
export interface Written {
  readonly told: string[];
  readonly failed: unknown[];
}

/** Stores mentions in ten lanes, in each one after the other, until `isDone`. `written` grows meanwhile. */
export async function writeInLanes(store: Store, { told, failed }: Written, isDone: () => boolean): Promise<void> {
  const lane = async (number: number) => {
    for (let turn = 0; !isDone(); turn += 1) {
      const postId = `lane ${number} turn ${turn}`;
      const mention = sampleMention({ postId, authorId: `${1_000 + number}`, authorUsername: null });
      try {
        const id = await store.transaction((tx) => tx.insertMention(mention, { now: 1, source: 'webhook' }));
        if (id === null) failed.push(new Error(`${postId} was stored twice`));
        told.push(postId);
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, number) => lane(number)));
}
