import type { Config } from '../../config.ts';
import { capitalized } from '../../domain/gigs/gig-type.ts';
import { consoleWords } from '../../domain/owners/console-words.ts';
import { LogoUnusable } from '../../domain/settings/logo/logo.ts';
import { openLogo } from '../../logo-file.ts';
import type { Check } from './doctor-checks.ts';

/** Whether the console is on, and who creates gigs in it. */
export function checkConsole(config: Config): Check {
  const name = 'console';
  const words = consoleWords(config);
  if (words !== null) return { name, ok: true, detail: capitalized(words), remedy: '' };
  const remedy = 'To turn it on, set SIGN_IN to farcaster, wallet or both, and OWNER_CREATE to listed or anybody.';
  return { name, ok: true, mark: 'off', detail: 'Off: owners and earners cannot sign in at /my', remedy };
}

/** How the operator calls and colors the site; nothing where no setting says so. */
export async function checkSite({ brand, logoFile }: Config): Promise<Check[]> {
  const { name, accent, contact, terms } = brand;
  const shown = [
    name === null ? null : `called ${name}`,
    accent === null ? null : `accent ${accent.light.accent}, in the dark ${accent.dark.accent}`,
    contact === null ? null : `contact ${contact}`,
    terms === null ? null : `terms ${terms}`,
  ];
  try {
    const logo = await openLogo(logoFile);
    const picture = logo === null ? null : `logo ${logo.type} of ${logo.bytes.byteLength} bytes`;
    const detail = [...shown, picture].filter((part) => part !== null).join('; ');
    return detail === '' ? [] : [{ name: 'site', ok: true, detail: capitalized(detail), remedy: '' }];
  } catch (error) {
    if (!(error instanceof LogoUnusable)) throw error;
    const remedy = 'Correct SITE_LOGO or the file: until then the service does not start.';
    return [{ name: 'site', ok: false, detail: `SITE_LOGO: ${error.message}`, remedy }];
  }
}
