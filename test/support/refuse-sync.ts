import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Loaded into a process before its program: its disk refuses each sync that the event loop does not wait for.
const refuse = (_file: number, done: (error: Error | null) => void): void =>
  done(new Error('EIO: i/o error, fdatasync'));
Object.assign(fs, { fdatasync: refuse });
syncBuiltinESMExports();
