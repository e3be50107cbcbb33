import { baseVariables, flag, readConfig, variable } from '@watchline/kit/process/config'
import mongoose from 'mongoose'
import type { Log } from '../../provision/types.ts'
import { addConversations } from './conversations.ts'
import { addCourses } from './courses.ts'
import { seedOnce } from './seed-once.ts'
import { startSimulation } from './simulation.ts'
import { createDemoCalendar, createTimeline } from './timeline.ts'

const variables = {
  mongoUrl: baseVariables.mongoUrl,
  databasePrefix: baseVariables.databasePrefix,
  hasHistory: variable('DEMO_HISTORY', flag.default(true), 'true or false'),
}

/**
 * Settings that hold in the past of the demo, whatever the system's own are. Its people do not
 * exist: they get no mail, and they read no notice before their monitored sessions.
 */
const pastSettings = { SMTP_URL: '', SMTP_URL_FILE: '', MONITORING_NOTICE: 'off' }

/**
 * Plays four weeks of the demo organisation through the services' own API, on a simulated clock.
 * Credit, completion and notifications therefore follow from the product's rules. It must run
 * before the real start. It happens once for each set of databases, and only if they are empty.
 */
export async function seedDemoHistory({ env, log }: { env: NodeJS.ProcessEnv; log: Log }): Promise<void> {
  const { mongoUrl, databasePrefix: prefix, hasHistory } = readConfig(env, variables)
  if (!hasHistory) return
  const client = new mongoose.mongo.MongoClient(mongoUrl)
  try {
    await seedOnce({
      client,
      prefix,
      play: () => playHistory({ ...env, ...pastSettings }, { client, prefix, log }),
      log,
    })
  } finally {
    await client.close()
  }
}

async function playHistory(
  env: NodeJS.ProcessEnv,
  { client, prefix, log }: { client: mongoose.mongo.MongoClient; prefix: string; log: Log },
): Promise<void> {
  log('playing four weeks of the demo organisation')
  const calendar = createDemoCalendar(Date.now())
  const simulation = await startSimulation(env, { client, prefix, start: calendar.day(28, '08:00') })
  try {
    const timeline = createTimeline()
    const playlistIds = addCourses(timeline, simulation, calendar)
    addConversations(timeline, simulation, calendar, playlistIds)
    await timeline.play(simulation.clock, simulation.waitUntilConsumed)
    await simulation.signEverybodyOut()
  } catch (error) {
    await simulation.close().catch(() => {})
    throw error
  }
  await simulation.close()
}
