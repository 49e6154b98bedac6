import { ConfigError } from '../config.ts';
import { LabelsUnreadable } from '../domain/earning/labels.ts';
import { AdapterError, commandLineText, DomainError } from '../domain/errors.ts';
import { StoreUnusable } from './context.ts';
import { plain } from './output.ts';

/** The operator's error message: a sentence for what the operator can fix, or a stack trace for a defect. */
export function failureText(error: unknown): string {
  if (error instanceof DomainError) return commandLineText(error.refusal);
  if (error instanceof ConfigError || error instanceof StoreUnusable) return error.message;
  if (error instanceof LabelsUnreadable) return `SPAM_LABELS_FILE: ${error.message}`;
  // The message may quote a platform or an endpoint.
  if (error instanceof AdapterError) return plain(error.message);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
