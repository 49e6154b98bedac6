import { type Config, ConfigError } from '../config.ts';
import { LabelsUnreadable, type SpamLabels } from '../domain/earning/labels.ts';
import { type Logo, LogoUnusable } from '../domain/settings/logo/logo.ts';
import type { Log } from '../log.ts';
import { openLogo } from '../logo-file.ts';
import { openLabels } from '../platforms/registry.ts';

/** Null without a configured file. @throws ConfigError naming SPAM_LABELS_FILE */
export async function readSpamLabels({
  config,
  log,
}: {
  readonly config: Config;
  readonly log: Log;
}): Promise<SpamLabels | null> {
  try {
    return await openLabels({ path: config.spamLabelsFile, log });
  } catch (error) {
    if (!(error instanceof LabelsUnreadable)) throw error;
    throw new ConfigError([`SPAM_LABELS_FILE: ${error.message}`]);
  }
}

/** Null without a configured file. @throws ConfigError naming SITE_LOGO */
export async function readLogo({ logoFile }: Config): Promise<Logo | null> {
  return await openLogo(logoFile).catch((error: unknown) => {
    throw error instanceof LogoUnusable ? new ConfigError([`SITE_LOGO: ${error.message}`]) : error;
  });
}
