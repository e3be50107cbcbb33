import type { Dispatcher } from 'undici'
import type { Organisation } from '../../shared/organisation.ts'
import type { CallLog } from '../call-log.ts'
import { createExpectedRecords, type ExpectedRecords } from '../expected-records.ts'
import { importPeople, movePeople, requestSupervisors } from './administration.ts'
import { talk } from './chat-messages.ts'
import { readNotices, review } from './comment-reviews.ts'
import { createMemberCaller, type LoadClients } from './load.ts'
import { contendForLock } from './lock-rivals.ts'
import { assign, createPlaylist, share, supply } from './playlists.ts'
import { signInAndOut } from './sign-ins.ts'
import { comment, watch } from './viewings.ts'

export interface Load {
  expectedRecords: ExpectedRecords
  clients: LoadClients
  /** Lets every client finish its current step. Rejects if a client failed other than by an answer. */
  stop(): Promise<void>
}

const longVideo = [{ provider: 'file', id: 'long', url: '/media/long.webm', title: 'Long', duration: 3_600 }]

/** All clients at once: every operation that changes data, through the public address. */
export async function startLoad(
  url: string,
  dispatcher: Dispatcher,
  { organisation, callLog }: { organisation: Organisation; callLog: CallLog },
): Promise<Load> {
  const expectedRecords = createExpectedRecords()
  const ending = new AbortController()
  const trainees = organisation.teams.flatMap(team => team.trainees)
  const tasks: LoadClients['tasks'] = new Map(trainees.map(each => [each.id, []]))
  const clients: LoadClients = { callLog, expectedRecords, organisation, tasks, stopping: ending.signal }
  const { teams, managers, spares, director, rivals, guests } = organisation

  // For comments and lock rivals. Nobody watches it to its end.
  const common = await Promise.all(
    teams.map(async ({ supervisor, trainees }, index) => {
      const prepare = createMemberCaller(clients, supervisor, 'playlists')
      const playlist = await createPlaylist(clients, prepare, supervisor, longVideo)
      await assign(clients, prepare, playlist.id, [
        ...trainees,
        ...(index === 0 ? rivals.map(each => each.person) : []),
      ])
      return playlist
    }),
  )

  const managed = teams.at(-1)!.supervisor
  const work = [
    ...teams.flatMap((team, index) => [
      supply(clients, team),
      review(clients, team.supervisor),
      ...team.trainees.flatMap(trainee => [watch(clients, trainee), comment(clients, trainee, common[index]!)]),
      ...team.trainees
        .slice(0, 1)
        .flatMap(trainee => [
          readNotices(clients, trainee),
          talk(clients, trainee, team.supervisor, 'user_supervisor'),
          talk(clients, team.supervisor, trainee, 'user_supervisor'),
        ]),
    ]),
    ...rivals.flatMap(({ person, sessions }) =>
      sessions.map((browser, index) =>
        contendForLock(clients, { person, browser, number: index + 1, task: common[0]! }),
      ),
    ),
    talk(clients, managed, managers[0], 'supervisor_manager'),
    talk(clients, managers[0], managed, 'supervisor_manager'),
    talk(clients, managers[0], director, 'manager_director'),
    talk(clients, director, managers[0], 'manager_director'),
    share(clients, managers[0], managed),
    movePeople(clients),
    ...managers.map((manager, index) => requestSupervisors(clients, manager, spares[index]!)),
    importPeople(clients),
    ...guests.map(guest => signInAndOut(clients, guest, { url, dispatcher })),
  ]
  // A failed client is a violation. The other clients continue.
  for (const each of work) each.catch(error => callLog.violation('client failed', String(error)))
  return {
    expectedRecords,
    clients,
    stop: async () => {
      ending.abort()
      await Promise.allSettled(work)
    },
  }
}
