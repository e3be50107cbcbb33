import { fail } from '@watchline/kit/core/errors'
import type { PersonRecord } from '../store/person-model.ts'

/** Fails with `conflict` for a deactivated person, whose role and team do not change. */
export function requireActivePerson(person: PersonRecord): void {
  if (person.deactivatedAt) fail('conflict', { detail: 'This person is deactivated. Reactivate them first.' })
}
