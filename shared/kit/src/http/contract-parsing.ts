import type { AnyOperation } from '@watchline/contracts/operation'
import type { z } from 'zod'
import { fail } from '../core/errors.ts'

/** A path of the contract in the syntax of Express: `:id` for `{id}`. */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** Throws if the answer violates the contract. */
export function checkResponse({ name, response }: Pick<AnyOperation, 'name' | 'response'>, body: unknown): void {
  const checked = response.safeParse(body)
  if (!checked.success) throw new Error(`the answer of ${name} violates its contract: ${checked.error.message}`)
}

/**
 * Parses params, query or body. Throws 404 `not_found` for params, otherwise 422 `invalid` with
 * every wrong field.
 */
export function parseInput(schema: z.ZodType | undefined, value: unknown, part: 'params' | 'query' | 'body'): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  // An id that cannot exist is treated as an unknown id.
  if (part === 'params') fail('not_found')
  const errors = parsed.error.issues.map(issue => ({
    path: issue.path.join('.'),
    message: plainMessage(issue.message),
  }))
  const first = errors[0]
  fail('invalid', {
    errors,
    ...(first && { detail: detailOf(first.path, first.message) }),
  })
}

/** Translates the messages of zod for people; the contracts' own messages are plain already. */
function plainMessage(message: string): string {
  if (message.endsWith('received undefined')) return 'is required'
  if (message === 'Invalid input') return 'is not valid'
  const own = /^(?:Invalid input|Invalid option|Invalid string|Too big|Too small|Unrecognized key)s?: (.*)$/.exec(
    message,
  )
  return own ? `is not valid: ${own[1]}` : message
}

/**
 * A message that begins with a capital is a sentence; any other completes the sentence that begins
 * with the path.
 */
function detailOf(path: string, message: string): string {
  return /^[A-Z]/.test(message) ? message : `${path || 'The body'} ${message}`
}
