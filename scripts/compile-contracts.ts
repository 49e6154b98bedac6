import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildContracts } from './contracts.ts';

for (const [path, text] of buildContracts()) {
  writeFileSync(join(import.meta.dirname, '..', path), text);
  console.log(path);
}
