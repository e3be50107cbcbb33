import type { Person } from '@watchline/identity/people'
import { newId } from '@watchline/kit/mongo/database'
import { searchWords } from '../../../../services/auth/src/rules/search.ts'
import { type StoredPerson, toStoredPerson } from '../../../../services/auth/src/store/person-model.ts'

const givenNames =
  'Anna Maria Mohammed David John Sara Ali Wei Elena Peter James Laura Ahmed Olga Kim Paul Julia Ivan Sofia Mark Nina Omar Lucy Tom Aisha Felix Hana Igor Jana Karl Lena Max Noah Petra Quentin Rosa Simon Tara Ulla Vera Walter Xenia Yara Zoe Amir Bruno Carla Dario'
const familyNames =
  'Smith Müller Garcia Chen Kumar Novak Silva Brown Ivanova Kowalski Nguyen Rossi Okafor Tanaka Jansen Andersson Martin Haddad Costa Park Weber Popescu Dubois Lee Horvat Larsen Schmidt Ahmadi Lopez Yilmaz Fischer Keller Olsen Marino Papadakis Quinn Reyes Singh Torres Ueda Vogel Wang Xu Young Zimmermann Adler Becker Castro Diaz Evans Fontaine Gruber Hughes Inoue Jones Kaya'
const offices = ['north', 'south', 'sales', 'plant', 'care', 'labs', 'office', 'field']
const dayMs = 86_400_000

/** One person of so many has the role. All other people are users. */
const directorEvery = 1_000
const managerEvery = 250
const supervisorEvery = 10

/** Deterministic numbers from 0 to 1, so that all runs measure the same organisation. */
function createRandom() {
  let state = 20_261_121
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Draws names. The first of the list is frequent, later ones are ever rarer, as in real
 * organisations.
 */
function createNameDraw(list: string, random: () => number): () => string {
  const names = list.split(' ')
  let sum = 0
  const cumulativeWeights = names.map((_, index) => {
    sum += 1 / (index + 3)
    return sum
  })
  return () => {
    const point = random() * sum
    return names.find((_, index) => point < cumulativeWeights[index]!)!
  }
}

/**
 * All people below the administrators, as the auth service stores them. Of 1,000 people one is a
 * director; one in 250 is a manager, one in 10 a supervisor. A team has at most ten people. Every
 * fifth supervisor has no manager. One person in 5,000 has a rare name.
 */
export function createStoredPeople(count: number): (StoredPerson & { issuer: string; subject: string })[] {
  const random = createRandom()
  const drawGivenName = createNameDraw(givenNames, random)
  const drawFamilyName = createNameDraw(familyNames, random)
  const firstDay = Date.UTC(2025, 0, 1)
  const people = Array.from({ length: count }, (_, index): Person => {
    const [givenName, familyName] = [drawGivenName(), index % 5_000 === 77 ? 'Quillfeather' : drawFamilyName()]
    const office = offices[Math.floor(random() * offices.length)]
    return {
      id: newId(),
      name: `${givenName} ${familyName}`,
      email: `${givenName}.${familyName.replace('ü', 'u')}${index}@${office}.example.org`.toLowerCase(),
      picture: null,
      role: roleOf(index),
      supervisorId: null,
      managerId: null,
      createdAt: new Date(firstDay + Math.floor((index / count) * 300 * dayMs)).toISOString(),
      version: 1,
    }
  })
  const withRole = (role: Person['role']) => people.filter(person => person.role === role)
  const [managers, supervisors] = [withRole('manager'), withRole('supervisor')]
  for (const [index, supervisor] of supervisors.entries())
    if (index % 5 > 0 && managers.length > 0) supervisor.managerId = managers[index % managers.length]!.id
  for (const [index, user] of withRole('user').entries())
    if (index < supervisors.length * 10) user.supervisorId = supervisors[index % supervisors.length]!.id

  const teamSizes = new Map<string, number>()
  for (const { supervisorId, managerId } of people)
    for (const leaderId of [supervisorId, managerId])
      if (leaderId) teamSizes.set(leaderId, (teamSizes.get(leaderId) ?? 0) + 1)
  return people.map(person => ({
    ...toStoredPerson(person),
    issuer: 'https://sign-in.example.org',
    subject: person.id,
    team_size: teamSizes.get(person.id) ?? 0,
  }))
}

function roleOf(index: number): Person['role'] {
  if (index % directorEvery === 0) return 'director'
  if (index % managerEvery === 125) return 'manager'
  return index % supervisorEvery === 5 ? 'supervisor' : 'user'
}

/** Administrative acts, one a minute until `now`, spread over all people. */
export function createAuditEntries(count: number, people: readonly StoredPerson[], now: number) {
  const actions = ['role_changed', 'supervisor_changed', 'manager_changed', 'request_approved'] as const
  return Array.from({ length: count }, (_, index) => {
    const { _id, name, email } = people[(index * 7) % people.length]!
    return {
      _id: newId(),
      at: new Date(now - (count - index) * 60_000),
      action: actions[index % actions.length]!,
      by: { id: newId(), name: `Administrator ${index % 5}` },
      subject: { id: _id, name, email },
      before: { role: 'user' },
      after: { role: 'supervisor', freed_users: index % 10 },
      search_words: searchWords(name, email),
    }
  })
}

/** Managers' requests for supervisors without a manager. Half of them are pending. */
export function createSupervisorRequests(count: number, people: readonly StoredPerson[], now: number) {
  const managers = people.filter(person => person.role === 'manager')
  const available = people.filter(person => person.role === 'supervisor' && !person.manager_id)
  return Array.from({ length: Math.min(count, available.length) }, (_, index) => ({
    _id: newId(),
    manager_id: managers[index % managers.length]!._id,
    supervisor_id: available[index]!._id,
    reason: 'They know the plant.',
    status: index % 2 ? ('pending' as const) : ('rejected' as const),
    requested_at: new Date(now - index * 60_000),
    reviewed_at: index % 2 ? null : new Date(now),
    comment: '',
  }))
}
