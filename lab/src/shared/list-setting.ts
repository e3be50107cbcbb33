import { z } from 'zod'

/** A setting with several values, separated by commas. */
export const listOf = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform(text => text.split(/[\s,]+/).filter(Boolean))
    .pipe(z.array(item).min(1))
