import type { Dispatcher } from 'undici'
import type { Organisation } from '../../shared/organisation.ts'
import type { Journal } from '../call-log.ts'
import { type Books, createBooks } from '../expected-records.ts'
import { importPeople, movePeople, requestSupervisors } from './administration.ts'
import { talk } from './chat-messages.ts'
import { readNotices, review } from './comment-reviews.ts'
import { type Crew, callerOf } from './load.ts'
import { vie } from './lock-rivals.ts'
import { assign, createPlaylist, share, supply } from './playlists.ts'
import { comeAndGo } from './sign-ins.ts'
import { comment, watch } from './viewings.ts'

export interface Load {
  books: Books
  crew: Crew
  /** Everybody finishes what they are at; rejects if one of them failed otherwise than by an answer. */
  stop(): Promise<void>
}

const longVideo = [{ provider: 'file', id: 'long', url: '/media/long.webm', title: 'Long', duration: 3_600 }]

/** Everybody at once: every operation that changes anything, through the front address. */
export async function startLoad(
  url: string,
  dispatcher: Dispatcher,
  { organisation, journal }: { organisation: Organisation; journal: Journal },
): Promise<Load> {
  const books = createBooks()
  const ending = new AbortController()
  const trainees = organisation.teams.flatMap(team => team.trainees)
  const tasks: Crew['tasks'] = new Map(trainees.map(each => [each.id, []]))
  const crew: Crew = { journal, books, organisation, tasks, stopping: ending.signal }
  const { teams, managers, spares, director, rivals, guests } = organisation

  // What a team talks about, and rivals fight for; nobody watches it to its end.
  const common = await Promise.all(
    teams.map(async ({ supervisor, trainees }, index) => {
      const prepare = callerOf(crew, supervisor, 'playlists')
      const playlist = await createPlaylist(crew, prepare, supervisor, longVideo)
      await assign(crew, prepare, playlist.id, [...trainees, ...(index === 0 ? rivals.map(each => each.person) : [])])
      return playlist
    }),
  )

  const managed = teams.at(-1)!.supervisor
  const work = [
    ...teams.flatMap((team, index) => [
      supply(crew, team),
      review(crew, team.supervisor),
      ...team.trainees.flatMap(trainee => [watch(crew, trainee), comment(crew, trainee, common[index]!)]),
      ...team.trainees
        .slice(0, 1)
        .flatMap(trainee => [
          readNotices(crew, trainee),
          talk(crew, trainee, team.supervisor, 'user_supervisor'),
          talk(crew, team.supervisor, trainee, 'user_supervisor'),
        ]),
    ]),
    ...rivals.flatMap(({ person, sessions }) =>
      sessions.map((browser, index) => vie(crew, { person, browser, number: index + 1, task: common[0]! })),
    ),
    talk(crew, managed, managers[0], 'supervisor_manager'),
    talk(crew, managers[0], managed, 'supervisor_manager'),
    talk(crew, managers[0], director, 'manager_director'),
    talk(crew, director, managers[0], 'manager_director'),
    share(crew, managers[0], managed),
    movePeople(crew),
    ...managers.map((manager, index) => requestSupervisors(crew, manager, spares[index]!)),
    importPeople(crew),
    ...guests.map(guest => comeAndGo(crew, guest, { url, dispatcher })),
  ]
  // Whoever fails is seen when the load stops; until then nobody waits for them.
  for (const each of work) each.catch(error => journal.violation('client failed', String(error)))
  return {
    books,
    crew,
    stop: async () => {
      ending.abort()
      await Promise.allSettled(work)
    },
  }
}
