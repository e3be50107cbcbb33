import { setTimeout as sleep } from 'node:timers/promises'
import { cookieNames } from '@watchline/identity/cookies'
import { Agent } from 'undici'
import { until } from '../../../../tools/src/provision/wait.ts'
import { forEachConcurrently } from '../../shared/concurrency.ts'
import { createOrganisation, type Member } from '../../shared/organisation.ts'
import { openPage } from './opening.ts'
import { createLanes, type Rates, readFirstAnswers } from './operations.ts'
import { startPacing } from './pace.ts'
import { ratesOf } from './page-calls.ts'
import { keepStreamsOpen } from './streams.ts'
import { createTally, type PhaseResults } from './tally.ts'
import { assignPlaylists, createWatcher, openPlayersOfTeam, type WatchingTeam } from './teams.ts'

/** The tenth seat of the first team belongs to the rivals' test person. */
const traineesOfTeam = 9
const firstCallLimitMs = 60_000
const teamsAtOnce = 2
/** The phase of calls that no measurement counts. */
const idlePhase = 'between'

export type Trainees = Awaited<ReturnType<typeof createTrainees>>

/**
 * Signs in an organisation, of which a growing part watches, each person as their page does. A call
 * without an answer within `limitMs` has failed.
 */
export async function createTrainees(url: string, count: number, limitMs: number) {
  const agent = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 60_000 })
  const organisation = await createOrganisation(url, agent, {
    ...{ teams: Math.ceil(count / traineesOfTeam), trainees: traineesOfTeam, rivals: 0, movers: 0, guests: 0 },
    limitMs,
  })
  const waiting = [...organisation.teams]
  const watching: WatchingTeam[] = []
  const tally = createTally()
  let phase = idlePhase
  /** Teams that do not watch yet, but have a task. */
  const prepared: { team: WatchingTeam; trainees: readonly Member[] }[] = []
  let stopLoad: (() => Promise<void>) | undefined
  const accessCookie = ({ browser }: Member) => `${cookieNames(url).access}=${browser.token()}`
  const currentTrainees = () => watching.flatMap(team => team.watchers)

  return {
    /**
     * Lets trainees open their task and press Start, team by team, until this many watch. Returns
     * the number that watches.
     */
    grow: async (trainees: number): Promise<number> => {
      const missing = Math.ceil((trainees - currentTrainees().length) / traineesOfTeam)
      await forEachConcurrently(waiting.splice(0, Math.max(0, missing)), teamsAtOnce, async team =>
        watching.push(await openPlayersOfTeam(team)),
      )
      return currentTrainees().length
    },

    /** All watchers make the calls of their page, and their supervisors those of a dashboard. */
    begin: async () => {
      const watchers = currentTrainees()
      const people = [...watchers.map(({ member }) => member), ...watching.map(({ supervisor }) => supervisor)]
      await forEachConcurrently(people, 16, ({ browser }) => browser.call('POST', '/auth/refresh'))
      await forEachConcurrently(watchers, 16, ({ play }) => play.begin())
      const rates = ratesOf({ trainees: watchers.length, supervisors: watching.length })
      await readFirstAnswers(watching, rates)
      tally.drain()
      const cookies = people.map(member => () => accessCookie(member))
      const streams = keepStreamsOpen(url, agent, cookies, tally, () => phase)
      // People come one after the other. That all open a stream in one moment is no part of a step.
      await streams.tried()
      const pacing = startPacing(createLanes(watching, rates, tally, () => phase))
      stopLoad = async () => {
        await pacing.stop()
        await streams.close()
        await forEachConcurrently(watchers, 16, ({ play }) => play.end().catch(() => {}))
      }
    },

    /** Gives a task to this many people who do not watch yet. Resolves to their number. */
    prepare: async (people: number): Promise<number> => {
      const teams = waiting.splice(0, Math.ceil(people / traineesOfTeam))
      await forEachConcurrently(teams, teamsAtOnce, async team =>
        prepared.push({ team: await assignPlaylists(team), trainees: team.trainees }),
      )
      return teams.length * traineesOfTeam
    },

    /**
     * The prepared people sign in at random moments within `withinS`, press Start, and watch.
     * Resolves to the number of those who could start.
     */
    startTogether: async (withinS: number): Promise<number> => {
      const stops: (() => Promise<void>)[] = []
      const rates = ratesOf({ trainees: 1, supervisors: 0 })
      const open = async (team: WatchingTeam, member: Member) => {
        await sleep(Math.random() * withinS * 1_000)
        if (!(await openPage(member, team.playlistId, tally, limitMs))) return 0
        const watcher = createWatcher(team, member)
        // A refused first report only delays the next one.
        await watcher.play.begin().catch(() => {})
        const streams = keepStreamsOpen(url, agent, [() => accessCookie(member)], tally, () => phase)
        const pacing = startPacing(createLanes([{ ...team, watchers: [watcher] }], rates, tally, () => phase))
        stops.push(pacing.stop, streams.close)
        return 1
      }
      stopLoad = async () => {
        await Promise.all(stops.map(stop => stop()))
      }
      const started = await Promise.all(
        prepared.splice(0).flatMap(({ team, trainees }) => trainees.map(member => open(team, member))),
      )
      return started.reduce<number>((sum, count) => sum + count, 0)
    },

    /**
     * Counts calls that are due from now on under this name. The phase before lasts until each of
     * the `awaited` operations has a result, however slow the machine is.
     */
    enterPhase: async (name: string, awaited: readonly (keyof Rates)[] = []) => {
      const before = phase
      if (awaited.length > 0)
        await until(async () => tally.hasResults(before, awaited), {
          condition: `a call of ${before}`,
          limitMs: firstCallLimitMs,
        })
      phase = name
    },

    end: async (): Promise<PhaseResults> => {
      await stopLoad?.()
      stopLoad = undefined
      phase = idlePhase
      return tally.drain()
    },

    close: async () => {
      await stopLoad?.()
      await agent.destroy()
    },
  }
}
