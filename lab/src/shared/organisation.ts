import type { Role } from '@watchline/contracts/people'
import { type Answer, type Browser, createBrowser } from '@watchline/testing/browser'
import type { Dispatcher } from 'undici'
import { until } from '../../../tools/src/provision/wait.ts'
import { isAcknowledged } from './answers.ts'

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
  /** The last one's supervisor is under the first manager. */
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
const signInsAtOnce = 6

/** Sets up the organisation through the public API: sign-ins, roles, teams. */
export async function createOrganisation(url: string, dispatcher: Dispatcher, size: Size): Promise<Organisation> {
  const emailOf = (name: string) => `${name}@example.org`
  const { limitMs } = size
  const admin = createBrowser(url, dispatcher, { limitMs })
  const account = { name: 'Administrator', email: emailOf('admin'), password: adminPassword }
  // An unanswered attempt may have succeeded.
  await must(admin, 'POST', '/admin/setup', account, [400])
  const { admin: self } = await must(admin, 'POST', '/admin/login', account)

  const signedIn = async (name: string): Promise<Member> => {
    const browser = createBrowser(url, dispatcher, { limitMs })
    const { json } = await patiently(`${name} signs in`, () => browser.signIn(emailOf(name)))
    return { id: json.user.id, name, email: emailOf(name), role: 'user', browser }
  }
  const give = async (member: Member, role: Exclude<Role, 'admin'>) => {
    await must(admin, 'PUT', `/admin/users/${member.id}/role`, { role })
    member.role = role
  }
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index + 1}`)
  const all = await inBatches(
    [
      'director',
      ...numbered('manager', 2),
      ...numbered('supervisor', size.teams),
      ...numbered('spare', 2),
      ...numbered('trainee', size.teams * size.trainees),
      ...numbered('mover', size.movers),
      ...numbered('rival', size.rivals + 1),
    ],
    signedIn,
  )
  const of = (name: string) => all.filter(member => member.name.replace(/\d+$/, '') === name)
  const [supervisors, trainees, rivals] = [of('supervisor'), of('trainee'), of('rival')]
  for (const member of of('director')) await give(member, 'director')
  for (const member of of('manager')) await give(member, 'manager')
  for (const member of [...supervisors, ...of('spare')]) await give(member, 'supervisor')

  const teams = supervisors.map((supervisor, index) => ({
    supervisor,
    trainees: trainees.slice(index * size.trainees, (index + 1) * size.trainees),
  }))
  const put = (member: Member, under: Member) =>
    must(admin, 'PUT', `/admin/users/${member.id}/supervisor?supervisor_id=${under.id}`)
  for (const team of teams) for (const trainee of team.trainees) await put(trainee, team.supervisor)
  for (const rival of rivals) await put(rival, supervisors[0]!)
  const [manager] = of('manager')
  await must(admin, 'PUT', `/admin/users/${supervisors.at(-1)!.id}/manager?manager_id=${manager!.id}`)

  const [subject, ...others] = (await inBatches(
    rivals,
    async (person): Promise<Rival> => ({
      person,
      sessions: [person.browser, (await signedIn(person.name)).browser],
    }),
  )) as [Rival, ...Rival[]]
  return {
    admin: { id: self.id, name: 'admin', email: account.email, role: 'admin', browser: admin },
    director: of('director')[0]!,
    managers: of('manager') as [Member, Member],
    teams,
    spares: of('spare') as [Member, Member],
    movers: of('mover'),
    rivals: others,
    subject,
    guests: numbered('guest', size.guests).map(name => ({ name, email: emailOf(name) })),
  }
}

/** Retries, because the machine may be busy. */
async function patiently(what: string, send: () => Promise<Answer>, fine: readonly number[] = []): Promise<Answer> {
  return until(
    async () => {
      const answer = await send()
      if (isAcknowledged(answer.status) || fine.includes(answer.status)) return answer
      throw new Error(`${answer.status} ${JSON.stringify(answer.json)}`)
    },
    { condition: what, limitMs: 60_000, everyMs: 300 },
  )
}

async function must(browser: Browser, method: string, path: string, body?: unknown, fine?: readonly number[]) {
  return (await patiently(`${method} ${path}`, () => browser.call(method, path, body), fine)).json
}

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += signInsAtOnce)
    done.push(...(await Promise.all(items.slice(at, at + signInsAtOnce).map(work))))
  return done
}
