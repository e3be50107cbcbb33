import { cookieNames } from '@watchline/identity/cookies'
import { Agent } from 'undici'
import { until } from '../../../../tools/src/provision/wait.ts'
import { createOrganisation } from '../../shared/organisation.ts'
import type { Told } from './conversation.ts'
import { lanesOf, type Rates } from './operations.ts'
import { pace } from './pace.ts'
import { openStreams } from './streams.ts'
import { createTally, type Outcome } from './tally.ts'
import { must, openPlayers, warmUpVideoId } from './watchers.ts'

export interface PeopleSize {
  /** Each a supervisor with their trainees. */
  teams: number
  /** At most nine: one place in a team is somebody else's. */
  trainees: number
}

export interface Load {
  rates: Rates
  /** How many keep a live stream open. */
  streams?: number
}

export interface Credit {
  people: number
  /** Seconds of video played, and seconds credited for it, all together. */
  watched: number
  credited: number
  /** Of one person. The product tells tenths. */
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
const heartbeatsEveryS = 30
const settleMs = 10_000
const inTenthsS = 0.1

export type LoadPeople = Awaited<ReturnType<typeof createLoadPeople>>

/** Signed-in people who generate the load and record acknowledged results. */
export async function createLoadPeople(url: string, { teams, trainees }: PeopleSize) {
  const agent = new Agent({
    connections: 256,
    pipelining: 1,
    connect: { timeout: 2_000 },
    // Shorter than a gateway keeps answering after SIGTERM; the gateway's upstream.ts has the same limit.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
  })
  const organisation = await createOrganisation(url, agent, {
    ...{ teams, trainees, rivals: 0, movers: 0, guests: 0 },
    limitMs,
  })
  const leads = await openPlayers(organisation)
  const watchers = leads.flatMap(lead => lead.watchers)
  const browsers = [...watchers.map(each => each.member.browser), ...leads.map(each => each.supervisor.browser)]
  const tally = createTally()
  const between = 'between'
  let phase = between
  // Players always send heartbeats. Otherwise they would lose the lock between two measurements.
  const alive = pace(lanesOf(leads, { heartbeat: watchers.length / heartbeatsEveryS }, createTally(), () => between))
  let stopLoad: (() => Promise<void>) | undefined

  async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
    const rest = [...items]
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
      }),
    )
  }

  return {
    /** New access tokens, so that none expires in the middle of a measurement. */
    refresh: () => forEachConcurrently(browsers, browser => must(browser, 'POST', '/auth/refresh')),

    begin: async ({ rates, streams = 0 }: Load) => {
      const tracked = (rates.track ?? 0) > 0
      if (tracked) await forEachConcurrently(watchers, each => each.play.begin())
      tally.take()
      const open = openStreams(
        url,
        agent,
        watchers.slice(0, streams).map(
          ({ member }) =>
            () =>
              `${cookieNames(url).access}=${member.browser.token()}`,
        ),
        tally,
        () => phase,
      )
      const running = pace(lanesOf(leads, rates, tally, () => phase))
      stopLoad = async () => {
        await running.stop()
        await open.close()
        if (tracked) await forEachConcurrently(watchers, each => each.play.end())
      }
    },

    /** Counts calls due from now on under this name. */
    enter: async (name: string) => {
      phase = name
    },

    end: async (): Promise<Outcome> => {
      await stopLoad?.()
      stopLoad = undefined
      phase = between
      return tally.take()
    },

    /** Compares credited with played time, after waiting for pending credit. */
    credit: async (): Promise<Credit> => {
      const creditOf = async ({ member, playlistId }: (typeof watchers)[number]) => {
        const { videos } = await must(member.browser, 'GET', `/engagement/watched/${playlistId}`)
        return videos[0].watch_time as number
      }
      const credit: Credit = { people: watchers.length, watched: 0, credited: 0, largestDifference: 0 }
      await forEachConcurrently(watchers, async each => {
        const { watched } = each.play
        let credited = 0
        const settled = async () => {
          credited = await creditOf(each)
          return Math.abs(credited - watched) <= inTenthsS
        }
        await until(settled, { condition: 'credited', limitMs: settleMs, everyMs: 500 }).catch(() => {})
        credit.watched += watched
        credit.credited += credited
        credit.largestDifference = Math.max(credit.largestDifference, Math.abs(credited - watched))
      })
      return credit
    },

    /** Compares all rooms' messages with the acknowledged ones, by phase. */
    messages: async (): Promise<Record<string, Told>> => {
      const told: Record<string, Told> = {}
      await forEachConcurrently(watchers, each => each.conversation.check(told))
      return told
    },

    /** Calls that warm up new processes, so that they compare with long-running ones. */
    warmUp: async (): Promise<Record<'track' | 'chat', WarmUpCall[]>> => ({
      track: watchers.map(({ member, playlistId }) => ({
        path: '/api/engagement/track',
        token: member.browser.token(),
        body: { playlist_id: playlistId, video_id: warmUpVideoId, watch_time: 0, event_type: 'pause' },
      })),
      chat: leads.flatMap(({ supervisor, watchers: team }) =>
        team.map(({ member }) => ({
          path: '/api/chat/send',
          token: member.browser.token(),
          body: { recipient_id: supervisor.id, message: 'warm-up', chat_type: 'user_supervisor' },
        })),
      ),
    }),

    /** The calls of an overload, through the gateway. */
    overloadCalls: async () =>
      watchers.flatMap(({ member }) =>
        ['/api/chat/rooms', '/api/chat/unread-count'].map(path => ({
          path,
          cookie: `${cookieNames(url).access}=${member.browser.token()}`,
        })),
      ),

    close: async () => {
      await stopLoad?.()
      await alive.stop()
      await agent.destroy()
    },
  }
}
