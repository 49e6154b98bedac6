import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The `chromium` on the PATH, or null when there is none. */
export function findChromium(path = process.env['PATH'] ?? ''): string | null {
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, 'chromium');
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
