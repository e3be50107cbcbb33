import { homeOf, type Person } from '../api/signed-in-person.ts'

/** The address of the page with all that is stored of a person. */
export function ownRecordAddress(person: Pick<Person, 'role'>): string {
  return `${homeOf(person)}?page=record`
}

export function isOwnRecord(params: URLSearchParams): boolean {
  return params.get('page') === 'record'
}
