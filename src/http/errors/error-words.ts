import type { RefusalBy, RowTable } from '../../domain/refusal-row.ts';
import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** An error that the API answers. */
export type ApiError<Code extends ErrorCode = ErrorCode> = RefusalBy<typeof ERROR_CODES, Code>;

const ROWS: RowTable<typeof ERROR_CODES> = ERROR_CODES;

/** The response to a request that failed. */
export interface ErrorResult {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The API's answer to a request that failed. */
export function errorResult<Code extends ErrorCode>(error: ApiError<Code>, requestId: string): ErrorResult {
  const { status, body, headers } = ROWS[error.code];
  return { status, body: { ...body(error), code: error.code, request_id: requestId }, headers: headers?.(error) };
}

/** What a page shows of a request that failed. */
export interface ErrorForPeople {
  readonly status: number;
  readonly sentence: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request that failed, for a page. */
export function errorForPeople<Code extends ErrorCode>(error: ApiError<Code>): ErrorForPeople {
  const { status, person, headers } = ROWS[error.code];
  return { status, sentence: person(error), headers: headers?.(error) };
}
