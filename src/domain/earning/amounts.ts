import { z } from 'zod';

/** An amount as it is stored: decimal text in base units. */
export const storedAmount = z
  .string()
  .regex(/^[1-9][0-9]{0,77}$/)
  .transform(BigInt);

export const shownAmount = z.string().meta({ description: 'Decimal text, in whole tokens.', example: '2' });
