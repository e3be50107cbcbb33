import type { Dispatcher } from 'undici'
import { createExpectedRecords, type ExpectedRecords } from '../expected-records.ts'
import { importPeople, movePeople, requestSupervisors } from './administration.ts'
import { sendMessages } from './chat-messages.ts'
import { readNotifications, reviewComments } from './comment-reviews.ts'
import { createMemberCaller, type LoadClients } from './load.ts'
import { contendForLock } from './lock-rivals.ts'
import { assignPlaylist, createPlaylist, sharePlaylists, supplyPlaylists } from './playlists.ts'
import { signInAndOut } from './sign-ins.ts'
import { watchPlaylists, writeComments } from './viewings.ts'

export interface Load {
  expectedRecords: ExpectedRecords
  clients: LoadClients
  /** Waits until every client has finished its current action. */
  stop(): Promise<void>
}

const longVideo = [{ provider: 'file', id: 'long', url: '/media/long.webm', title: 'Long', duration: 3_600 }]

/**
 * Starts all clients at once. They call every operation that changes data, through the public
 * address.
 */
export async function startLoad(
  url: string,
  dispatcher: Dispatcher,
  { organisation, callLog, pauseFactor }: Pick<LoadClients, 'organisation' | 'callLog' | 'pauseFactor'>,
): Promise<Load> {
  const expectedRecords = createExpectedRecords()
  const stopping = new AbortController()
  const trainees = organisation.teams.flatMap(team => team.trainees)
  const tasks: LoadClients['tasks'] = new Map(trainees.map(trainee => [trainee.id, []]))
  const clients: LoadClients = {
    ...{ callLog, expectedRecords, organisation, tasks, pauseFactor },
    stopping: stopping.signal,
  }
  const { teams, managers, spares, director, rivals, guests } = organisation

  // For comments and lock rivals. Nobody completes them.
  const teamPlaylists = await Promise.all(
    teams.map(async ({ supervisor, trainees }, index) => {
      const call = createMemberCaller(clients, supervisor, 'playlists')
      const playlist = await createPlaylist(clients, call, supervisor, longVideo)
      await assignPlaylist(clients, call, playlist.id, [
        ...trainees,
        ...(index === 0 ? rivals.map(rival => rival.person) : []),
      ])
      return playlist
    }),
  )

  const managedSupervisor = teams.at(-1)!.supervisor
  const runningClients = [
    ...teams.flatMap((team, index) => [
      supplyPlaylists(clients, team),
      reviewComments(clients, team.supervisor),
      ...team.trainees.flatMap(trainee => [
        watchPlaylists(clients, trainee),
        writeComments(clients, trainee, teamPlaylists[index]!),
      ]),
      ...team.trainees
        .slice(0, 1)
        .flatMap(trainee => [
          readNotifications(clients, trainee),
          sendMessages(clients, trainee, team.supervisor, 'user_supervisor'),
          sendMessages(clients, team.supervisor, trainee, 'user_supervisor'),
        ]),
    ]),
    ...rivals.flatMap(({ person, sessions }) =>
      sessions.map((browser, index) =>
        contendForLock(clients, { person, browser, number: index + 1, task: teamPlaylists[0]! }),
      ),
    ),
    sendMessages(clients, managedSupervisor, managers[0], 'supervisor_manager'),
    sendMessages(clients, managers[0], managedSupervisor, 'supervisor_manager'),
    sendMessages(clients, managers[0], director, 'manager_director'),
    sendMessages(clients, director, managers[0], 'manager_director'),
    sharePlaylists(clients, managers[0], managedSupervisor),
    movePeople(clients),
    ...managers.map((manager, index) => requestSupervisors(clients, manager, spares[index]!)),
    importPeople(clients),
    ...guests.map(guest => signInAndOut(clients, guest, { url, dispatcher })),
  ]
  // A failed client is a violation. The other clients continue.
  for (const client of runningClients) client.catch(error => callLog.reportViolation('client failed', String(error)))
  return {
    expectedRecords,
    clients,
    stop: async () => {
      stopping.abort()
      await Promise.allSettled(runningClients)
    },
  }
}
