import { platformFacts } from '../domain/platforms/platforms.ts';
import type { CommandContext } from './command.ts';

/** The page with all of the author's claims: null where replies carry no links or the service has no HTTPS URL. */
export function claimPage({ deps: { publicUrl }, mention }: CommandContext): string | null {
  const { repliesMayLink, slug } = platformFacts(mention.platform);
  return repliesMayLink && publicUrl.startsWith('https://') ? `${publicUrl}/claim/${slug}/${mention.authorId}` : null;
}
