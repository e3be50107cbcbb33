import { afterEach, expect, test } from '@jest/globals'
import { newUuid } from '../../src/ui/new-uuid.ts'

const own = Object.getOwnPropertyDescriptor(crypto, 'randomUUID')
afterEach(() => {
  if (own) Object.defineProperty(crypto, 'randomUUID', own)
  else Reflect.deleteProperty(crypto, 'randomUUID')
})

test.each(['with', 'without'])('ids are UUIDs and never the same, %s the browser’s own', how => {
  if (how === 'without') Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
  const ids = Array.from({ length: 500 }, newUuid)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(500)
})
