import type { PersonSnapshot } from '@watchline/contracts/people'
import mongoose from 'mongoose'
import { searchWords } from '../../../services/auth/src/rules/search.ts'
import { provisionMongo } from '../../../tools/src/provision/mongo.ts'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import type { Log } from '../../../tools/src/provision/types.ts'
import { flushToDisk, insertDocuments, toProjectedPerson } from '../shared/documents.ts'
import { insertTasks } from '../shared/stored-tasks.ts'

/** The size of the data of an organisation before the load begins. */
export interface StoredSize {
  people: number
  /** Tasks, most of them watched. */
  records: number
}

const playlistCount = 500
const databasePrefix = 'watchline'
const filledProjections = {
  'playback-session': ['people'],
  engagement: ['people', 'playlists', 'assignments'],
  notification: ['people'],
  chat: ['people'],
}

/** Fills the MongoDB of a product that has never started. `dataDir` is that of MongoDB. */
export async function storeOrganisation(dataDir: string, { people, records }: StoredSize, log: Log): Promise<void> {
  // Of 111 people, 100 are trainees.
  const trainees = Math.ceil((people * 100) / 111)
  const tasksPerTrainee = Math.min(playlistCount, Math.ceil(records / trainees))
  log(`— ${people} people and ${trainees * tasksPerTrainee} tasks are stored`)
  const server = await provisionMongo({ dataDir, cacheDir: cacheFolder(), alwaysStart: true, log })
  try {
    const client = await new mongoose.mongo.MongoClient(server.url).connect()
    try {
      const databaseOf = (service: string) => client.db(`${databasePrefix}-${service}`)
      const databases = { playback: databaseOf('playback-session'), engagement: databaseOf('engagement') }
      const size = { trainees, playlists: playlistCount, tasksPerTrainee, reminders: 0 }
      const organisation = await insertTasks(databases, size, Date.now())
      const leaders = [organisation.director, ...organisation.managers, ...organisation.supervisors]
      const everybody = [...leaders, ...organisation.trainees]
      await insertAccounts(databaseOf('auth'), everybody)
      for (const service of ['notification', 'chat'])
        await insertDocuments(databaseOf(service), 'people', everybody.map(toProjectedPerson))
      await markProjectionsFilled(databaseOf)
      await flushToDisk(client)
    } finally {
      await client.close()
    }
  } finally {
    await server.stop()
  }
}

/**
 * The product copies what other services own once in the life of a database. An organisation of
 * this size did that long ago, and the load would measure the copying.
 */
async function markProjectionsFilled(databaseOf: (service: string) => mongoose.mongo.Db): Promise<void> {
  for (const [service, projections] of Object.entries(filledProjections))
    await insertDocuments(
      databaseOf(service),
      'projection_states',
      projections.map(_id => ({ _id, filled_at: new Date() })),
    )
}

/** Nobody of them signs in. */
async function insertAccounts(database: mongoose.mongo.Db, people: readonly PersonSnapshot[]): Promise<void> {
  const teamSizes = new Map<string, number>()
  for (const { supervisor_id, manager_id } of people)
    for (const leaderId of [supervisor_id, manager_id])
      if (leaderId) teamSizes.set(leaderId, (teamSizes.get(leaderId) ?? 0) + 1)
  const accounts = people.map(person => ({
    ...toProjectedPerson(person),
    created_at: new Date(person.created_at),
    ...{ issuer: 'https://sign-in.example.org', subject: person.id },
    ...{ team_size: teamSizes.get(person.id) ?? 0, search_words: searchWords(person.name, person.email) },
  }))
  await insertDocuments(database, 'people', accounts)
}
