import type { MemberProblem } from '@watchline/contracts/groups'
import { email as emailRule, type Role } from '@watchline/contracts/people'
import { mayBeMember } from './group-membership.ts'

interface AddressOwner {
  id: string
  email: string
  role: Role
  deactivatedAt?: string | null | undefined
}

export interface MatchedAddresses {
  /** The people who can be members, once each, in the order of the lines. */
  personIds: string[]
  problems: { index: number; email: string; problem: MemberProblem }[]
}

/** The address of a line as accounts have it; undefined if it is none. */
export function readAddress(line: string): string | undefined {
  const address = emailRule.safeParse(line)
  return address.success ? address.data : undefined
}

/** Finds the person of each line among the owners of the addresses. */
export function matchAddresses(lines: readonly string[], owners: readonly AddressOwner[]): MatchedAddresses {
  const ownersByAddress = Map.groupBy(owners, ({ email }) => email)
  const personIds = new Set<string>()
  const problems: MatchedAddresses['problems'] = []
  for (const [index, line] of lines.entries()) {
    const address = readAddress(line)
    const found = (address !== undefined && ownersByAddress.get(address)) || []
    const problem = problemOf(address, found, personIds)
    if (problem) problems.push({ index, email: line, problem })
    else personIds.add(found.find(isPossibleMember)!.id)
  }
  return { personIds: [...personIds], problems }
}

const isPossibleMember = ({ role, deactivatedAt }: AddressOwner) =>
  mayBeMember({ role, isDeactivated: Boolean(deactivatedAt) })

function problemOf(
  address: string | undefined,
  owners: readonly AddressOwner[],
  earlierIds: ReadonlySet<string>,
): MemberProblem | undefined {
  if (address === undefined) return 'not_an_address'
  if (owners.length === 0) return 'nobody'
  const possible = owners.filter(isPossibleMember)
  if (possible.length > 1) return 'several'
  const [person] = possible
  if (!person) return owners.some(({ role }) => role !== 'admin') ? 'deactivated' : 'administrator'
  return earlierIds.has(person.id) ? 'repeated' : undefined
}
