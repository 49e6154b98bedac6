import type { Store } from '../../src/store/port/index.ts';

/** Around which of its commits, counted from 1, a process dies. */
export interface Death {
  readonly when: 'before' | 'after';
  readonly commit: number;
}

/** The store of a process that kills itself right before or right after a commit; never without one. */
export function dyingStore(store: Store, dies: Death | null): Store {
  let commits = 0;
  const dieAt = (commit: number, when: Death['when']) => {
    if (dies?.commit === commit && dies.when === when) process.kill(process.pid, 'SIGKILL');
  };
  return {
    ...store,
    async transaction(run, options) {
      commits += 1;
      const number = commits;
      const result = await store.transaction(async (tx) => {
        const value = await run(tx);
        dieAt(number, 'before');
        return value;
      }, options);
      dieAt(number, 'after');
      return result;
    },
  };
}
