import { copyStore } from '../../src/store/copy/copy-store.ts';
import { MIGRATIONS } from './store.ts';

// A process of its own that copies the store at argv[2] to argv[3], and is killed after the step argv[4].

const [, , from = '', to = '', last = ''] = process.argv;
await copyStore({
  from,
  to,
  migrationsFolder: MIGRATIONS,
  onStep: (step) => {
    if (step === last) process.kill(process.pid, 'SIGKILL');
  },
});
