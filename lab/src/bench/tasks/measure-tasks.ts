import type { PersonSnapshot } from '@watchline/contracts/people'
import { flushToDisk } from '../../shared/documents.ts'
import { type Call, type Outcome, runClosedLoop } from '../../shared/load-generator.ts'
import { quantile } from '../../shared/meter.ts'
import { insertTasks, type TaskOrganisation, type TaskSize } from '../../shared/stored-tasks.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import { type BenchWorld, callService } from '../bench-world.ts'
import { type Latencies, summariseRounds } from '../latencies.ts'
import { profileCall, type QueryPlan, queryPlanTable } from '../query-plans.ts'

export interface TaskBenchSize extends TaskSize {
  connections: readonly number[]
  seconds: number
  rounds: number
}

export const millionTasks: TaskBenchSize = {
  ...{ trainees: 50_000, playlists: 500, tasksPerTrainee: 20, reminders: 20_000 },
  ...{ connections: [1, 4], seconds: 2, rounds: 3 },
}

interface ListFigures extends Latencies {
  name: string
  connections: number
}

interface JobFigures {
  name: string
  tasks: number
  seconds: number
}

export interface TaskFigures {
  tasks: number
  trainees: number
  lists: ListFigures[]
  jobs: JobFigures[]
  plans: QueryPlan[]
}

/** The jobs of playback-session that go through tasks. */
export interface TaskJobs {
  sendDueRemindersOnce(): Promise<number>
  publishUncompletableTasksOnce(): Promise<void>
  stop(): Promise<void>
}

export interface TaskWorld extends Pick<BenchWorld, 'prefix' | 'client' | 'signToken' | 'startService'> {
  startTaskJobs(): Promise<TaskJobs>
}

/**
 * Measures the first page of each list of tasks in a large organisation, the jobs that go through
 * tasks, and the plans of all their queries.
 */
export async function measureTasks(world: TaskWorld, options: BenchOptions, size: TaskBenchSize): Promise<TaskFigures> {
  const { log } = options
  const databases = {
    playback: world.client.db(`${world.prefix}-playback-session`),
    engagement: world.client.db(`${world.prefix}-engagement`),
  }
  const tasks = size.trainees * size.tasksPerTrainee
  log(`— ${tasks} tasks of ${size.trainees} trainees`)
  const organisation = await insertTasks(databases, size, Date.now())
  const jobs = await measureJobs(world, tasks, size, options)
  const urls = {
    playback: (await world.startService('playback-session')).url,
    engagement: (await world.startService('engagement')).url,
  }
  await flushToDisk(world.client)

  const results = listCalls(world, organisation).flatMap(list =>
    size.connections.map(connections => ({ ...list, connections, outcomes: [] as Outcome[] })),
  )
  // Round 0 is the warm-up.
  for (let round = 0; round <= size.rounds; round += 1)
    for (const { name, service, nextCall, connections, outcomes } of results) {
      throwIfInterrupted(options)
      const outcome = await runClosedLoop(urls[service], nextCall, { connections, seconds: size.seconds })
      if (round > 0) outcomes.push(outcome)
      const p99 = quantile(outcome.latenciesMs, 0.99).toFixed(1)
      log(`  ${round || 'warming up'}: ${name}, ${connections} at once: p99 ${p99} ms`)
    }
  const plans: QueryPlan[] = []
  for (const { name, service, nextCall } of listCalls(world, organisation))
    plans.push(...(await profileCall(databases[service], name, () => callService(urls[service], nextCall()))))
  return {
    ...{ tasks, trainees: size.trainees, jobs, plans },
    lists: results.map(({ name, connections, outcomes }) => ({ name, connections, ...summariseRounds(outcomes) })),
  }
}

async function measureJobs(
  world: TaskWorld,
  tasks: number,
  { reminders }: TaskSize,
  { log }: BenchOptions,
): Promise<JobFigures[]> {
  const jobs = await world.startTaskJobs()
  const figures: JobFigures[] = []
  async function measure(name: string, count: number, run: () => Promise<unknown>) {
    const startedAt = performance.now()
    await run()
    const seconds = (performance.now() - startedAt) / 1_000
    figures.push({ name, tasks: count, seconds })
    log(`  ${name}: ${seconds.toFixed(1)} s`)
  }
  await measure('reminders of due dates', reminders, jobs.sendDueRemindersOnce)
  await measure('the same with none due', 0, jobs.sendDueRemindersOnce)
  await measure('the check for tasks that nobody can complete', tasks, jobs.publishUncompletableTasksOnce)
  await jobs.stop()
  return figures
}

interface ListCall {
  name: string
  service: 'playback' | 'engagement'
  nextCall: () => Call
}

function listCalls({ signToken }: TaskWorld, organisation: TaskOrganisation): ListCall[] {
  const { trainees, supervisors, managers, director, playlistIds } = organisation
  /** Each call is by another person. */
  const list = (name: string, service: ListCall['service'], people: readonly PersonSnapshot[], path: string) => {
    const tokens = people.slice(0, 200).map(signToken)
    let count = 0
    const nextCall = (): Call => ({ method: 'GET', path: `/api${path}`, token: tokens[count++ % tokens.length]! })
    return { name, service, nextCall }
  }
  const everybody = [director]
  return [
    list('a trainee’s task of today', 'playback', trainees, '/playlists/today'),
    list('a trainee’s tasks', 'playback', trainees, '/playlists/assigned?limit=20'),
    list('a trainee’s open tasks', 'playback', trainees, '/playlists/assigned?limit=20&status=open'),
    list('a trainee’s completed tasks', 'playback', trainees, '/playlists/assigned?limit=20&status=completed'),
    list('a supervisor’s playlists to assign', 'playback', supervisors, '/supervisor/tasks'),
    list('the director’s playlists', 'playback', everybody, '/playlists'),
    list('the director’s first screen of playlists', 'playback', everybody, '/playlists?limit=500'),
    list('everybody with a playlist', 'playback', everybody, `/playlists/${playlistIds[0]}/assign`),
    list('a supervisor’s team', 'engagement', supervisors, '/engagement/team?limit=50&sort=need&order=asc'),
    list('a supervisor’s tasks at risk', 'engagement', supervisors, '/engagement/at-risk?limit=50'),
    list('a manager’s tasks at risk', 'engagement', managers, '/engagement/at-risk?limit=50'),
    list('the director’s tasks at risk', 'engagement', everybody, '/engagement/at-risk?limit=50'),
    list('the director’s overdue tasks', 'engagement', everybody, '/engagement/at-risk?limit=50&reason=overdue'),
    list(
      'the director’s tasks at risk of a playlist',
      'engagement',
      everybody,
      `/engagement/at-risk?limit=50&playlist_id=${playlistIds[0]}`,
    ),
    list('the director’s tasks at risk by a name', 'engagement', everybody, '/engagement/at-risk?limit=50&search=a'),
  ]
}

/** Markdown. */
export function taskTables({ tasks, trainees, lists, jobs, plans }: TaskFigures): string {
  const connections = [...new Set(lists.map(list => list.connections))]
  const rows = [...Map.groupBy(lists, ({ name }) => name)].map(([name, figures]) => [
    name,
    ...figures.flatMap(({ p50Ms, p99Ms }) => [formatSpread(p50Ms, 1), formatSpread(p99Ms, 1)]),
    figures.reduce((sum, { errors }) => sum + errors, 0),
  ])
  const titles = connections.flatMap(count => [`p50 ms, ${count} at once`, `p99 ms, ${count} at once`])
  return [
    `${tasks} tasks of ${trainees} trainees`,
    markdownTable(['first page of', ...titles, 'errors'], rows),
    markdownTable(
      ['job', 'tasks', 'seconds'],
      jobs.map(job => [job.name, job.tasks, job.seconds.toFixed(1)]),
    ),
    queryPlanTable(plans),
  ].join('\n\n')
}
