import { afterEach, expect, test } from '@jest/globals'
import { newUuid } from '../../src/api/new-uuid.ts'

const ownRandomUuid = Object.getOwnPropertyDescriptor(crypto, 'randomUUID')
afterEach(() => {
  if (ownRandomUuid) Object.defineProperty(crypto, 'randomUUID', ownRandomUuid)
  else Reflect.deleteProperty(crypto, 'randomUUID')
})

test.each(['with', 'without'])('ids are distinct UUIDs %s the browser’s randomUUID', support => {
  if (support === 'without') Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
  const ids = Array.from({ length: 500 }, newUuid)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(500)
})
