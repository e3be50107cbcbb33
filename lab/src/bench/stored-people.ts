import type { Person } from '@watchline/identity/people'
import { newId } from '@watchline/kit/mongo/database'
import { searchWords } from '../../../services/auth/src/rules/search.ts'
import { type StoredPerson, toStoredPerson } from '../../../services/auth/src/store/person-model.ts'

const givenNames =
  'Anna Maria Mohammed David John Sara Ali Wei Elena Peter James Laura Ahmed Olga Kim Paul Julia Ivan Sofia Mark Nina Omar Lucy Tom Aisha Felix Hana Igor Jana Karl Lena Max Noah Petra Quentin Rosa Simon Tara Ulla Vera Walter Xenia Yara Zoe Amir Bruno Carla Dario'
const familyNames =
  'Smith Müller Garcia Chen Kumar Novak Silva Brown Ivanova Kowalski Nguyen Rossi Okafor Tanaka Jansen Andersson Martin Haddad Costa Park Weber Popescu Dubois Lee Horvat Larsen Schmidt Ahmadi Lopez Yilmaz Fischer Keller Olsen Marino Papadakis Quinn Reyes Singh Torres Ueda Vogel Wang Xu Young Zimmermann Adler Becker Castro Diaz Evans Fontaine Gruber Hughes Inoue Jones Kaya'
const offices = ['north', 'south', 'sales', 'plant', 'care', 'labs', 'office', 'field']
const day = 86_400_000

export const managersEvery = 250
const bossesEvery = 1_000
const supervisorsEvery = 10

/** The same numbers each time, so that figures of two days are of one organisation. */
function createDice() {
  let state = 20_261_121
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Few names that many have, many that few have: the first about a tenth, the last a hundredth of that of a hundred. */
function namesOf(list: string, dice: () => number): () => string {
  const names = list.split(' ')
  let sum = 0
  const upTo = names.map((_, index) => {
    sum += 1 / (index + 3)
    return sum
  })
  return () => {
    const thrown = dice() * sum
    return names.find((_, index) => thrown < upTo[index]!)!
  }
}

/**
 * Everybody below the administrators, as the auth service stores them: one director in a thousand, a manager in 250, a supervisor
 * in ten, each with a team of at most ten. Every fifth supervisor has no manager; one person in 5,000 has a rare name.
 */
export function organisationOf(count: number): (StoredPerson & { issuer: string; subject: string })[] {
  const dice = createDice()
  const given = namesOf(givenNames, dice)
  const family = namesOf(familyNames, dice)
  const begin = Date.UTC(2025, 0, 1)
  const people = Array.from({ length: count }, (_, index): Person => {
    const [first, last] = [given(), index % 5_000 === 77 ? 'Quillfeather' : family()]
    const office = offices[Math.floor(dice() * offices.length)]
    return {
      id: newId(),
      name: `${first} ${last}`,
      email: `${first}.${last.replace('ü', 'u')}${index}@${office}.example.org`.toLowerCase(),
      picture: null,
      role: roleOf(index),
      supervisorId: null,
      managerId: null,
      createdAt: new Date(begin + Math.floor((index / count) * 300 * day)).toISOString(),
      version: 1,
    }
  })
  const of = (role: Person['role']) => people.filter(person => person.role === role)
  const [managers, supervisors] = [of('manager'), of('supervisor')]
  for (const [index, person] of supervisors.entries())
    if (index % 5 > 0 && managers.length > 0) person.managerId = managers[index % managers.length]!.id
  for (const [index, person] of of('user').entries())
    if (index < supervisors.length * 10) person.supervisorId = supervisors[index % supervisors.length]!.id

  const teams = new Map<string, number>()
  for (const { supervisorId, managerId } of people)
    for (const leader of [supervisorId, managerId]) if (leader) teams.set(leader, (teams.get(leader) ?? 0) + 1)
  return people.map(person => ({
    ...toStoredPerson(person),
    issuer: 'https://sign-in.example.org',
    subject: person.id,
    team_size: teams.get(person.id) ?? 0,
  }))
}

function roleOf(index: number): Person['role'] {
  if (index % bossesEvery === 0) return 'director'
  if (index % managersEvery === 125) return 'manager'
  return index % supervisorsEvery === 5 ? 'supervisor' : 'user'
}

/** So many administrative acts, one a minute, on people in turn. */
export function auditOf(count: number, people: readonly StoredPerson[], now: number) {
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

/** Managers ask for supervisors who have no manager; half of it is answered. */
export function requestsOf(count: number, people: readonly StoredPerson[], now: number) {
  const managers = people.filter(person => person.role === 'manager')
  const free = people.filter(person => person.role === 'supervisor' && !person.manager_id)
  return Array.from({ length: Math.min(count, free.length) }, (_, index) => ({
    _id: newId(),
    manager_id: managers[index % managers.length]!._id,
    supervisor_id: free[index]!._id,
    reason: 'They know the plant.',
    status: index % 2 ? ('pending' as const) : ('rejected' as const),
    requested_at: new Date(now - index * 60_000),
    reviewed_at: index % 2 ? null : new Date(now),
    comment: '',
  }))
}
