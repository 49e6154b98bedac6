import type { Context } from 'hono';
import { generateCookie } from 'hono/cookie';
import type { AppEnv } from '../middleware/context.ts';
import { readCookie } from '../middleware/cookie.ts';
import type { Site } from '../ui/layout.ts';

/** A cookie for the pages of one audience. */
export interface PageCookie {
  /** Its value. @throws as {@link readCookie} */
  read(c: Context<AppEnv>): string | undefined;
  /** The `Set-Cookie` that keeps a value until then; times are epoch milliseconds. */
  keep(site: Site, kept: { readonly token: string; readonly expiresAt: number }, now: number): string;
  /** The `Set-Cookie` that deletes it. */
  forget(site: Site): string;
}

/** A cookie that browsers send below `home` alone. */
export function createPageCookie(options: { name: string; home: string; sameSite: 'Strict' | 'Lax' }): PageCookie {
  const { name, home, sameSite } = options;
  const write = ({ root, publicUrl }: Site, value: string, maxAge: number) =>
    generateCookie(name, value, {
      path: `${root}${home}`,
      httpOnly: true,
      sameSite,
      secure: publicUrl.startsWith('https:'),
      maxAge,
    });
  return {
    read: (c) => readCookie(c, name),
    keep: (site, { token, expiresAt }, now) => write(site, token, Math.floor((expiresAt - now) / 1000)),
    forget: (site) => write(site, '', 0),
  };
}
