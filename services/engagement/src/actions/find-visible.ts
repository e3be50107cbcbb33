import { ServiceError } from '@watchline/kit/core/errors'

/** Undefined for what the person may not see. */
export async function findVisible<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'forbidden' || error.code === 'not_found')) return undefined
    throw error
  }
}
