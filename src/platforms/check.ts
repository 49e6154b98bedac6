import { AdapterError } from '../domain/errors.ts';
import type { PlatformCheck } from '../domain/mentions/mention.ts';

/** The result of a check: a success text, or a detail with its remedy. */
export function checkResult(name: string, outcome: string | { detail: string; remedy: string }): PlatformCheck {
  return typeof outcome === 'string'
    ? { name, ok: true, detail: outcome, remedy: '' }
    : { name, ok: false, detail: outcome.detail, remedy: outcome.remedy };
}

/** Runs a check; a platform that cannot be reached is a failed check with this remedy. */
export async function guardCheck(
  name: string,
  remedy: string,
  run: () => Promise<PlatformCheck>,
): Promise<PlatformCheck> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AdapterError) return checkResult(name, { detail: error.message, remedy });
    throw error;
  }
}
