import { ServiceError } from '@watchline/kit/core/errors'

/** Returns undefined if the call is refused with `forbidden` or `not_found`. */
export async function ignoreRefusal<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'forbidden' || error.code === 'not_found')) return undefined
    throw error
  }
}
