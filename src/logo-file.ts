import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { cleanLogo, type Logo, LogoUnusable, MOST_LOGO_BYTES } from './domain/settings/logo/logo.ts';

/** At most one byte more than a logo may have, of a file alone: a device or a pipe may never end. */
async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new LogoUnusable('must be a file');
    const bytes = Buffer.alloc(MOST_LOGO_BYTES + 1);
    let length = 0;
    for (let last = -1; last !== 0 && length < bytes.length; length += last) {
      last = (await file.read(bytes, length, bytes.length - length)).bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

/**
 * The logo in a file, or null without one. A symbolic link is followed, because containers mount files by links.
 * @throws LogoUnusable when it cannot be used
 */
export async function openLogo(path: string | null): Promise<Logo | null> {
  if (path === null) return null;
  try {
    return cleanLogo(await readStart(path));
  } catch (error) {
    if (error instanceof LogoUnusable) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const why = code === 'ENOENT' ? 'the file does not exist' : `the file cannot be read (${code})`;
    throw new LogoUnusable(why, { cause: error });
  }
}
