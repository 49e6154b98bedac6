import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded by `--import`: one line on stderr for each module that is loaded.
registerHooks({
  load(url, context, next) {
    writeSync(2, `loaded ${url}\n`);
    return next(url, context);
  },
});
