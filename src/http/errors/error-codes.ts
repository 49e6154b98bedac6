import { REFUSALS } from '../../domain/errors.ts';
import { HTTP_FAULTS } from './http-faults.ts';

/** Every code of an error: when it is answered, with which status and words. */
export const ERROR_CODES = { ...REFUSALS, ...HTTP_FAULTS };

/** What a program tells errors apart by: the `code` of every error body. */
export type ErrorCode = keyof typeof ERROR_CODES;
