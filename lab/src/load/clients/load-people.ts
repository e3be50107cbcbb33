import { cookieNames } from '@watchline/identity/cookies'
import { Agent } from 'undici'
import { until } from '../../../../tools/src/provision/wait.ts'
import { forEachConcurrently } from '../../shared/concurrency.ts'
import { createOrganisation, type Member } from '../../shared/organisation.ts'
import type { MessageCounts } from './conversation.ts'
import { createLanes, type Rates } from './operations.ts'
import { startPacing } from './pace.ts'
import { keepStreamsOpen } from './streams.ts'
import { createTally, type PhaseResults } from './tally.ts'
import { must, openPlayers, type Watcher, warmUpVideoId } from './teams.ts'

export interface PeopleSize {
  teams: number
  /**
   * Trainees a team, at most nine. The tenth seat of the first team belongs to the rivals' test
   * person.
   */
  trainees: number
}

export interface LoadOptions {
  rates: Rates
  /** The operations that a scenario measures; every phase lasts until each has a result. */
  measured?: readonly (keyof Rates)[]
  /** The number of results that every phase has of each of them at least; 1 by default. */
  minResults?: number
  /** The number of people with an open live stream. */
  streams?: number
}

export interface Credit {
  people: number
  /** Seconds of video played and credited, all people together. */
  watched: number
  credited: number
  /** The largest difference of one person. The product reports tenths of a second. */
  largestDifference: number
}

/** A person's call directly to a service, without the gateway. */
export interface WarmUpCall {
  path: string
  token: string
  body: Record<string, unknown>
}

/** Longer than the gateway's own limit, so that the product reports the failure. */
const limitMs = 20_000
const firstCallLimitMs = 60_000
const heartbeatEveryS = 30
/** A slow machine needs several times the usual time. */
const creditLimitMs = 120_000
const creditToleranceS = 0.1
const concurrency = 8
/** The phase of calls that no measurement counts. */
const idlePhase = 'between'

export type LoadPeople = Awaited<ReturnType<typeof createLoadPeople>>

/** Signed-in people who generate the load and record acknowledged results. */
export async function createLoadPeople(url: string, { teams: teamCount, trainees }: PeopleSize) {
  const agent = new Agent({
    connections: 256,
    pipelining: 1,
    connect: { timeout: 2_000 },
    // Shorter than a gateway keeps answering after SIGTERM; the gateway's upstream.ts has the same
    // limit.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  })
  const organisation = await createOrganisation(url, agent, {
    ...{ teams: teamCount, trainees, rivals: 0, movers: 0, guests: 0 },
    limitMs,
  })
  const teams = await openPlayers(organisation)
  const watchers = teams.flatMap(team => team.watchers)
  const browsers = [...watchers.map(({ member }) => member), ...teams.map(team => team.supervisor)].map(
    ({ browser }) => browser,
  )
  const tally = createTally()
  let phase = idlePhase
  let measured: readonly string[] = []
  let minResults = 1
  // Players always send heartbeats. Otherwise they would lose the lock between two measurements.
  const heartbeats = startPacing(
    createLanes(teams, { heartbeat: watchers.length / heartbeatEveryS }, createTally(), () => idlePhase),
  )
  let stopLoad: (() => Promise<void>) | undefined
  const accessCookie = ({ browser }: Member) => `${cookieNames(url).access}=${browser.token()}`

  /** Waits until the phase has enough results of each measured operation, and each in `awaited`. */
  async function waitForResults(awaited: readonly (keyof Rates)[] = []): Promise<void> {
    if (phase === idlePhase) return
    await until(async () => tally.hasResults(phase, [...measured, ...awaited], minResults), {
      condition: `the calls of ${phase}`,
      limitMs: firstCallLimitMs,
    })
  }

  return {
    /** Gets new access tokens, so that none expires during a measurement. */
    refreshTokens: () => forEachConcurrently(browsers, concurrency, browser => must(browser, 'POST', '/auth/refresh')),

    begin: async ({ rates, streams = 0, measured: operations = [], minResults: minimum = 1 }: LoadOptions) => {
      measured = operations
      minResults = minimum
      const isTracking = (rates.track ?? 0) > 0
      if (isTracking) await forEachConcurrently(watchers, concurrency, ({ play }) => play.begin())
      tally.drain()
      const cookies = watchers.slice(0, streams).map(
        ({ member }) =>
          () =>
            accessCookie(member),
      )
      const openStreams = keepStreamsOpen(url, agent, cookies, tally, () => phase)
      const pacing = startPacing(createLanes(teams, rates, tally, () => phase))
      stopLoad = async () => {
        await pacing.stop()
        await openStreams.close()
        if (isTracking) await forEachConcurrently(watchers, concurrency, ({ play }) => play.end())
      }
    },

    /**
     * Counts calls that are due from now on under this name. The phase before lasts until each
     * measured operation, and each in `awaited`, has enough results, however slow the machine is.
     */
    enterPhase: async (name: string, awaited?: readonly (keyof Rates)[]) => {
      await waitForResults(awaited)
      phase = name
    },

    /** Stops the load when the last phase has enough results, and returns all of them. */
    end: async (): Promise<PhaseResults> => {
      await waitForResults()
      await stopLoad?.()
      stopLoad = undefined
      phase = idlePhase
      return tally.drain()
    },

    /** Compares credited with played time, after waiting for pending credit. */
    compareCredit: async (): Promise<Credit> => {
      const credit: Credit = { people: watchers.length, watched: 0, credited: 0, largestDifference: 0 }
      await forEachConcurrently(watchers, concurrency, async watcher => {
        const { watched } = watcher.play
        const credited = await waitForCredit(watcher, watched)
        credit.watched += watched
        credit.credited += credited
        credit.largestDifference = Math.max(credit.largestDifference, Math.abs(credited - watched))
      })
      return credit
    },

    /** Compares all rooms' messages with the acknowledged ones, by phase. */
    compareMessages: async (): Promise<Record<string, MessageCounts>> => {
      const countsByPhase: Record<string, MessageCounts> = {}
      await forEachConcurrently(watchers, concurrency, ({ conversation }) => conversation.check(countsByPhase))
      return countsByPhase
    },

    /** Calls that warm up new processes, so that they compare with long-running ones. */
    warmUpCalls: async (): Promise<Record<'track' | 'chat', WarmUpCall[]>> => ({
      track: watchers.map(({ member, playlistId }) => ({
        path: '/api/engagement/track',
        token: member.browser.token(),
        body: { playlist_id: playlistId, video_id: warmUpVideoId, watch_time: 0, event_type: 'pause' },
      })),
      chat: teams.flatMap(team =>
        team.watchers.map(({ member }) => ({
          path: '/api/chat/send',
          token: member.browser.token(),
          body: { recipient_id: team.supervisor.id, message: 'warm-up', chat_type: 'user_supervisor' },
        })),
      ),
    }),

    /** The calls of an overload, through the gateway. */
    overloadCalls: async () =>
      watchers.flatMap(({ member }) =>
        ['/api/chat/rooms', '/api/chat/unread-count'].map(path => ({ path, cookie: accessCookie(member) })),
      ),

    close: async () => {
      await stopLoad?.()
      await heartbeats.stop()
      await agent.destroy()
    },
  }
}

/** The credited seconds of one person, once they equal the played ones, or after the limit. */
async function waitForCredit({ member, playlistId }: Watcher, watched: number): Promise<number> {
  let credited = 0
  const isCredited = async () => {
    const { videos } = await must(member.browser, 'GET', `/engagement/watched/${playlistId}`)
    credited = videos[0].watch_time as number
    return Math.abs(credited - watched) <= creditToleranceS
  }
  const options = { condition: 'all seconds are credited', limitMs: creditLimitMs, everyMs: 500 }
  await until(isCredited, options).catch(() => {})
  return credited
}
