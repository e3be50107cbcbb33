import type { AdminInvitation, Administrator } from '@watchline/contracts/administrators'
import type { Admin, User } from '@watchline/contracts/people'
import type { PeopleImport } from '@watchline/contracts/people-imports'
import type { SecondFactor } from '@watchline/contracts/second-factors'
import type { SupervisorRequest } from '@watchline/contracts/supervisor-requests'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import type { IdentityProviders } from '../clients/identity-providers.ts'
import type { AdminInvitationRecord } from '../store/admin-invitations.ts'
import type { CredentialStore } from '../store/credentials.ts'
import type { ImportRecord } from '../store/imports.ts'
import type { PeopleStore } from '../store/people.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { FactorRecord, SecondFactorStore } from '../store/second-factors.ts'
import type { SessionStore } from '../store/sessions.ts'
import type { RequestRecord } from '../store/supervisor-requests.ts'

export function presentUser(person: PersonRecord): User {
  const { version: _version, supervisor_since: _since, ...user } = toPersonSnapshot(person)
  if (person.role === 'supervisor') return { ...user, user_count: person.teamSize }
  if (person.role === 'manager') return { ...user, supervisor_count: person.teamSize }
  return user
}

export function presentAdmin(person: PersonRecord): Admin {
  return { id: person.id, name: person.name, email: person.email, role: 'admin', created_at: person.createdAt }
}

interface AdministratorDeps {
  credentials: Pick<CredentialStore, 'personIdsAmong'>
  secondFactors: Pick<SecondFactorStore, 'ownersAmong'>
  sessions: Pick<SessionStore, 'lastUses'>
}

export async function presentAdministrators(
  records: readonly PersonRecord[],
  { credentials, secondFactors, sessions }: AdministratorDeps,
): Promise<Administrator[]> {
  const ids = records.map(({ id }) => id)
  const [withPassword, withFactor, lastUses] = await Promise.all([
    credentials.personIdsAmong(ids),
    secondFactors.ownersAmong(ids),
    sessions.lastUses(ids),
  ])
  return records.map(({ id, name, email, emailVerified, createdAt }) => {
    const lastSeen = lastUses.get(id)
    return {
      id,
      name,
      email,
      email_verified: emailVerified,
      created_at: createdAt,
      sign_in: withPassword.has(id) ? 'password' : 'provider',
      second_factor: withFactor.has(id),
      last_seen: lastSeen === undefined ? null : new Date(lastSeen).toISOString(),
    }
  })
}

export function presentFactor({ id, kind, name, addedAt, lastUsedAt }: FactorRecord): SecondFactor {
  return {
    id,
    kind,
    name,
    added_at: new Date(addedAt).toISOString(),
    last_used_at: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}

export function presentInvitation(invitation: AdminInvitationRecord): AdminInvitation {
  const { id, name, email, invitedBy, createdAt, expiresAt } = invitation
  return {
    id,
    name,
    email,
    invited_by: { id: invitedBy.id, name: invitedBy.name },
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  }
}

type PersonNames = Pick<PeopleStore, 'namesById'>

interface ListedUserDeps {
  people: PersonNames
  sessions: Pick<SessionStore, 'lastUses'>
}

/** Users with the names of their leaders. */
export async function presentUsersWithLeaders(records: readonly PersonRecord[], people: PersonNames): Promise<User[]> {
  const names = await people.namesById(records.flatMap(person => [person.supervisorId, person.managerId]))
  const nameOf = (id: string | null) => (id && names.get(id)) ?? null
  return records.map(person => ({
    ...presentUser(person),
    supervisor_name: nameOf(person.supervisorId),
    manager_name: nameOf(person.managerId),
  }))
}

/** Users in the administrator's lists. */
export async function presentListedUsers(
  records: readonly PersonRecord[],
  { people, sessions }: ListedUserDeps,
): Promise<User[]> {
  const [users, lastUses] = await Promise.all([
    presentUsersWithLeaders(records, people),
    sessions.lastUses(records.map(({ id }) => id)),
  ])
  return users.map((user, index) => {
    const lastSeen = lastUses.get(user.id)
    return {
      ...user,
      ...(records[index]!.invited && { invited: true }),
      last_seen: lastSeen === undefined ? null : new Date(lastSeen).toISOString(),
    }
  })
}

/** Requests with the current names of both people. */
export async function presentRequests(
  requests: readonly RequestRecord[],
  people: PersonNames,
): Promise<SupervisorRequest[]> {
  const names = await people.namesById(requests.flatMap(request => [request.managerId, request.supervisorId]))
  return requests.map(request => ({
    id: request.id,
    manager_id: request.managerId,
    manager_name: names.get(request.managerId) ?? '',
    supervisor_id: request.supervisorId,
    supervisor_name: names.get(request.supervisorId) ?? '',
    reason: request.reason,
    status: request.status,
    requested_at: new Date(request.requestedAt).toISOString(),
    reviewed_at: request.reviewedAt === null ? null : new Date(request.reviewedAt).toISOString(),
    comment: request.comment,
  }))
}

export async function presentRequest(request: RequestRecord, people: PersonNames): Promise<SupervisorRequest> {
  const [presented] = await presentRequests([request], people)
  return presented!
}

/** The names of the sign-in providers, for people. */
export function providerNames({ offered }: IdentityProviders): string {
  return offered.map(({ name }) => name).join(', ')
}

export function presentImport(record: ImportRecord): PeopleImport {
  const { id, fileName, createdAt, status, progress, counts, problemCount, problems } = record
  return {
    id,
    file_name: fileName,
    created_at: new Date(createdAt).toISOString(),
    status,
    progress,
    counts,
    problem_count: problemCount,
    problems,
  }
}
