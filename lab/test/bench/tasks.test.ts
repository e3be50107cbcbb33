import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createEngagementWorld, type EngagementWorld } from '../../../services/engagement/test/_util.ts'
import { createPlaybackWorld, type PlaybackWorld } from '../../../services/playback-session/test/_util.ts'
import { measureTasks, taskTables } from '../../src/bench/tasks/measure-tasks.ts'

let world: EngagementWorld
let playback: PlaybackWorld
beforeEach(async () => {
  world = await createEngagementWorld()
  playback = await createPlaybackWorld()
})
afterEach(async () => {
  await playback.close()
  await world.close()
})

test('the task bench measures every list and job without an error', async () => {
  const startPlayback = () =>
    playback.start({ ports: world.ports, config: { ...world.config, authUrl: world.owners.url } })
  const figures = await measureTasks(
    {
      prefix: world.config.databasePrefix,
      client: world.database('engagement').client,
      signToken: person => world.token(person),
      startService: async name => {
        const { url } = await (name === 'engagement' ? world.start() : startPlayback())
        return { url, pid: process.pid }
      },
      startTaskJobs: async () => (await startPlayback()).service,
    },
    { log: () => {}, isInterrupted: () => false },
    {
      ...{ trainees: 120, playlists: 30, tasksPerTrainee: 20, reminders: 50 },
      ...{ connections: [1, 2], seconds: 0.05, rounds: 1 },
    },
  )
  expect(figures.tasks).toBe(2_400)
  expect(figures.lists.filter(({ calls, errors }) => errors > 0 || calls === 0)).toEqual([])
  expect(figures.jobs.map(({ tasks }) => tasks)).toEqual([50, 0, 2_400])
  expect(figures.plans.filter(({ plan }) => plan.includes('COLLSCAN'))).toEqual([])
  const tables = taskTables(figures)
  for (const { name } of [...figures.lists, ...figures.jobs]) expect(tables).toContain(`| ${name} |`)
})
