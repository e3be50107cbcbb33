import { expect } from '@jest/globals'
import { waitFor } from '@testing-library/react'
import { countCallsOf } from '../../src/outbox/database-storage.ts'

/** A closed session goes on until its last calls are answered. */
export async function waitUntilSent(person: { id: string }): Promise<void> {
  await waitFor(async () => expect(await countCallsOf(person.id)).toBe(0))
}
