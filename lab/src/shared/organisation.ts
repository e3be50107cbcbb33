import type { Role } from '@watchline/contracts/people'
import { type Answer, type Browser, createBrowser } from '@watchline/testing/browser'
import type { Dispatcher } from 'undici'
import { until } from '../../../tools/src/provision/wait.ts'
import { isAcknowledged } from './answers.ts'
import { mapInBatches } from './concurrency.ts'

export interface Member {
  id: string
  /** Short: `trainee4`. */
  name: string
  email: string
  role: Role
  browser: Browser
}

export interface Team {
  supervisor: Member
  trainees: Member[]
}

/** All people of a run, each signed in with their own browser. */
export interface Organisation {
  admin: Member
  director: Member
  managers: [Member, Member]
  /** The supervisor of the last team belongs to the first manager. */
  teams: Team[]
  /** Supervisors that the managers request. */
  spares: [Member, Member]
  /** Users whose roles and supervisors change. */
  movers: Member[]
  /** People with two login sessions that contend for the same monitoring lock. */
  rivals: Rival[]
  /** A rival for the test of a stale lock owner. */
  subject: Rival
  /** People who sign in and out. */
  guests: { email: string; name: string }[]
}

export interface Rival {
  person: Member
  sessions: [Browser, Browser]
}

export interface Size {
  /** How long each browser waits for an answer; see createBrowser. */
  limitMs?: number
  teams: number
  trainees: number
  rivals: number
  movers: number
  guests: number
}

const adminPassword = 'a password for the fault tests'
const concurrentSignIns = 6

/** Sets up the organisation through the public API: sign-ins, roles, teams. */
export async function createOrganisation(url: string, dispatcher: Dispatcher, size: Size): Promise<Organisation> {
  const emailOf = (name: string) => `${name}@example.org`
  const { limitMs } = size
  const admin = createBrowser(url, dispatcher, { limitMs })
  const account = { name: 'Administrator', email: emailOf('admin'), password: adminPassword }
  // An unanswered attempt may have succeeded.
  await must(admin, 'POST', '/admin/setup', account, [400])
  const { admin: adminAccount } = await must(admin, 'POST', '/admin/login', account)

  const signInMember = async (name: string): Promise<Member> => {
    const browser = createBrowser(url, dispatcher, { limitMs })
    const { json } = await retry(`${name} signs in`, () => browser.signIn(emailOf(name)))
    return { id: json.user.id, name, email: emailOf(name), role: 'user', browser }
  }
  const setRole = async (member: Member, role: Exclude<Role, 'admin'>) => {
    await must(admin, 'PUT', `/admin/users/${member.id}/role`, { role })
    member.role = role
  }
  const numberedNames = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}${index + 1}`)
  const members = await mapInBatches(
    [
      'director',
      ...numberedNames('manager', 2),
      ...numberedNames('supervisor', size.teams),
      ...numberedNames('spare', 2),
      ...numberedNames('trainee', size.teams * size.trainees),
      ...numberedNames('mover', size.movers),
      ...numberedNames('rival', size.rivals + 1),
    ],
    concurrentSignIns,
    signInMember,
  )
  const membersNamed = (name: string) => members.filter(member => member.name.replace(/\d+$/, '') === name)
  const [supervisors, trainees, rivals] = [membersNamed('supervisor'), membersNamed('trainee'), membersNamed('rival')]
  for (const member of membersNamed('director')) await setRole(member, 'director')
  for (const member of membersNamed('manager')) await setRole(member, 'manager')
  for (const member of [...supervisors, ...membersNamed('spare')]) await setRole(member, 'supervisor')

  const teams = supervisors.map((supervisor, index) => ({
    supervisor,
    trainees: trainees.slice(index * size.trainees, (index + 1) * size.trainees),
  }))
  const setSupervisor = (member: Member, supervisor: Member) =>
    must(admin, 'PUT', `/admin/users/${member.id}/supervisor?supervisor_id=${supervisor.id}`)
  for (const team of teams) for (const trainee of team.trainees) await setSupervisor(trainee, team.supervisor)
  for (const rival of rivals) await setSupervisor(rival, supervisors[0]!)
  const [manager] = membersNamed('manager')
  await must(admin, 'PUT', `/admin/users/${supervisors.at(-1)!.id}/manager?manager_id=${manager!.id}`)

  const [subject, ...otherRivals] = (await mapInBatches(
    rivals,
    concurrentSignIns,
    async (person): Promise<Rival> => ({
      person,
      sessions: [person.browser, (await signInMember(person.name)).browser],
    }),
  )) as [Rival, ...Rival[]]
  return {
    admin: { id: adminAccount.id, name: 'admin', email: account.email, role: 'admin', browser: admin },
    director: membersNamed('director')[0]!,
    managers: membersNamed('manager') as [Member, Member],
    teams,
    spares: membersNamed('spare') as [Member, Member],
    movers: membersNamed('mover'),
    rivals: otherRivals,
    subject,
    guests: numberedNames('guest', size.guests).map(name => ({ name, email: emailOf(name) })),
  }
}

/** Retries, because the machine may be busy. */
async function retry(
  condition: string,
  send: () => Promise<Answer>,
  accepted: readonly number[] = [],
): Promise<Answer> {
  return until(
    async () => {
      const answer = await send()
      if (isAcknowledged(answer.status) || accepted.includes(answer.status)) return answer
      throw new Error(`${answer.status} ${JSON.stringify(answer.json)}`)
    },
    { condition, limitMs: 5 * 60_000, everyMs: 300 },
  )
}

/** `accepted`: statuses besides 2xx. */
async function must(browser: Browser, method: string, path: string, body?: unknown, accepted?: readonly number[]) {
  return (await retry(`${method} ${path}`, () => browser.call(method, path, body), accepted)).json
}
