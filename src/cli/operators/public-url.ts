import type { Config } from '../../config.ts';
import type { Platform } from '../../domain/account.ts';
import { platformFacts, webhookPath } from '../../domain/platforms/platforms.ts';

/** Names and addresses that work only on this machine or in its network. */
const LOCAL = [
  /^[^.:]+$/,
  /\.(localhost|local|internal|lan)$/,
  /^(127|10|0)\.[0-9.]+$/,
  /^(192\.168|169\.254|172\.(1[6-9]|2[0-9]|3[01]))\.[0-9.]+$/,
  /^\[(::1?|f[cd].*|fe[89ab].*)\]$/,
];

/** The URL at which a platform's events arrive. */
export function webhookUrl(config: Config, platform: Platform): string {
  return `${config.publicUrl}${webhookPath(platform)}`;
}

/**
 * Why the real platforms cannot deliver to PUBLIC_URL; null when they can, or when no enabled platform is real. X
 * allows no port in a webhook's URL (docs.x.com, x-api/webhooks/quickstart).
 */
export function publicUrlProblem(config: Config): { detail: string; remedy: string } | null {
  const real = config.platforms.filter(({ settings }) => settings.baseUrl === undefined);
  if (real.length === 0) return null;
  const url = new URL(config.publicUrl);
  const detail = `PUBLIC_URL is ${config.publicUrl}`;
  if (LOCAL.some((pattern) => pattern.test(url.hostname))) {
    const remedy = 'Set PUBLIC_URL to the https address at which the internet reaches this service.';
    return { detail: `${detail}, which cannot be reached from outside this network`, remedy };
  }
  if (url.protocol !== 'https:') {
    return {
      detail: `${detail}, which is not https`,
      remedy: 'Put the service behind TLS and set PUBLIC_URL to https://…',
    };
  }
  const picky = real.map(({ id }) => platformFacts(id)).find((facts) => !facts.webhookMayNamePort);
  if (picky !== undefined && url.port !== '') {
    const remedy = 'Serve it on the usual port 443 and set PUBLIC_URL without a port.';
    return { detail: `${detail}, and ${picky.label} accepts no port in the URL of a webhook`, remedy };
  }
  return null;
}
