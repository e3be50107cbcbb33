import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { applySessionEvent } from '../../src/features/player/machine/playback-machine.ts'
import { initialState } from '../../src/features/player/machine/playback-state.ts'
import type {
  Effect,
  Reading,
  SessionEvent,
  SessionState,
  TimerName,
} from '../../src/features/player/machine/playback-types.ts'
import { playlistOf, statusOf } from './_session-driver.ts'

const videoCount = 3
type Move =
  | { kind: 'provider'; event: ProviderEvent; back: number; reading: Reading }
  | { kind: 'timer'; name: TimerName; reading: Reading }
  | { kind: 'lock'; outcome: 'held' | 'elsewhere' | 'unanswered'; back: number }
  | { kind: 'user'; event: SessionEvent }
  | { kind: 'scene'; length: number }

const positions = fc.oneof(fc.double({ min: 0, max: 62, noNaN: true }), fc.constantFrom(0, 59.4, 59.5, 59.9, 60, 60.3))
const readings: fc.Arbitrary<Reading> = fc.record({
  position: positions,
  duration: fc.constantFrom(60, 60, 60, 0),
  rate: fc.constant(1),
})
const eventTypes = fc.constantFrom('ready', 'cued', 'playing', 'paused', 'buffering', 'ended', 'blocked')
const providerEvents: fc.Arbitrary<ProviderEvent> = fc.oneof(
  { weight: 12, arbitrary: eventTypes.map(type => ({ type }) as ProviderEvent) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('error' as const),
      code: fc.constantFrom(2, 5, 100, 150),
      unavailable: fc.boolean(),
      network: fc.boolean(),
      reason: fc.constant('No.'),
    }),
  },
)
const userEvents = fc.oneof(
  fc.constantFrom<SessionEvent>(
    { type: 'toggle' },
    { type: 'skip' },
    { type: 'continue-here' },
    { type: 'try-again' },
    { type: 'hidden' },
    { type: 'visible' },
    { type: 'online' },
    { type: 'offline' },
    { type: 'lock-lost' },
    { type: 'status-answered', status: undefined },
    { type: 'status-answered', status: statusOf() },
  ),
  positions.map((to): SessionEvent => ({ type: 'seek', to })),
)
const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('provider' as const),
      event: providerEvents,
      back: fc.constantFrom(0, 0, 0, 0, 1),
      reading: readings,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('timer' as const),
      name: fc.constantFrom<TimerName>(
        'tick',
        'save',
        'heartbeat',
        'check',
        'countdown',
        'settle',
        'lock-retry',
        'reload',
      ),
      reading: readings,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('lock' as const),
      outcome: fc.constantFrom(
        'held' as const,
        'held' as const,
        'held' as const,
        'elsewhere' as const,
        'unanswered' as const,
      ),
      back: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('scene' as const), length: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 3, arbitrary: userEvents.map(event => ({ kind: 'user' as const, event })) },
)

/** The regular events of one video. Random events alone seldom reach its end. */
const at = (position: number): Reading => ({ position, duration: 60, rate: 1 })
const scene: Exclude<Move, { kind: 'scene' }>[] = [
  { kind: 'user', event: { type: 'visible' } },
  { kind: 'provider', event: { type: 'cued' }, back: 0, reading: at(0) },
  { kind: 'lock', outcome: 'held', back: 0 },
  { kind: 'provider', event: { type: 'playing' }, back: 0, reading: at(0) },
  { kind: 'timer', name: 'tick', reading: at(60) },
  { kind: 'provider', event: { type: 'ended' }, back: 0, reading: at(60) },
  { kind: 'timer', name: 'countdown', reading: at(60) },
  { kind: 'timer', name: 'countdown', reading: at(60) },
  { kind: 'timer', name: 'countdown', reading: at(60) },
]

function check(condition: boolean): void {
  if (!condition) throw new Error('a rule of the session was broken')
}

/** The state outside the machine, derived from its effects alone. */
interface World {
  lockAnswered: boolean
  playReported: boolean
  endedLoads: Set<number>
  completions: number
  timers: Map<TimerName, boolean>
}

function applyEffects(
  world: World,
  before: SessionState,
  event: SessionEvent,
  effects: Effect[],
  after: SessionState,
): void {
  if (event.type === 'lock-answered' && event.request === before.lockRequest && before.lock === 'requested')
    world.lockAnswered = event.outcome === 'held'
  let load = before.load
  for (const effect of effects) {
    switch (effect.type) {
      case 'request-lock':
      case 'release-lock':
        world.lockAnswered = false
        break
      case 'load':
        load = effect.load
        check(effect.load > before.load)
        check(!world.playReported)
        break
      case 'play':
        check(world.lockAnswered)
        check(!after.hidden)
        break
      case 'track':
        check(effect.position >= 0)
        if (effect.event === 'play') {
          check(!world.playReported)
          check(world.lockAnswered)
          world.playReported = true
        } else if (effect.event === 'playing') check(world.playReported)
        else if (effect.event === 'pause') {
          check(world.playReported)
          world.playReported = false
        } else if (effect.event === 'ended') {
          check(!world.endedLoads.has(load))
          world.endedLoads.add(load)
          world.playReported = false
        } else {
          world.completions += 1
          check(world.completions === 1)
        }
        break
      case 'start-timer':
        world.timers.set(effect.name, effect.repeat)
        break
      case 'stop-timer':
        world.timers.delete(effect.name)
        break
    }
  }
}

test('no storm of events ends a video twice, plays without the lock, or skips a video', () => {
  const seen = { ended: 0, completed: 0, elsewhere: 0, plays: 0 }
  fc.assert(
    fc.property(fc.array(moves, { minLength: 20, maxLength: 160 }), script => {
      let state = initialState(playlistOf(videoCount))
      const world: World = {
        lockAnswered: false,
        playReported: false,
        endedLoads: new Set(),
        completions: 0,
        timers: new Map(),
      }
      const send = (event: SessionEvent) => {
        const before = state
        const result = applySessionEvent(before, event)
        state = result.state
        applyEffects(world, before, event, result.effects, state)
        seen.plays += result.effects.filter(effect => effect.type === 'play').length
        if (state.phase === 'elsewhere') seen.elsewhere += 1

        const restored = event.type === 'status-answered'
        if (!restored) check(state.index === before.index || state.index === before.index + 1)
        check(state.index < videoCount)
        if (state.phase === 'playing' || state.phase === 'buffering') {
          check(world.lockAnswered)
          check(!state.hidden)
          check(world.timers.has('tick') && world.timers.has('save') && world.timers.has('heartbeat'))
        } else check(!world.timers.has('heartbeat'))
        if (state.phase === 'starting' && !state.reloading) check(world.timers.has('check'))
        if (['paused', 'elsewhere', 'refused', 'completed'].includes(state.phase)) {
          check(!world.playReported)
          check(!world.lockAnswered)
        }
      }
      send({ type: 'start' })
      send({ type: 'status-answered', status: undefined })
      for (const move of script.flatMap(item => (item.kind === 'scene' ? scene.slice(0, item.length) : [item]))) {
        if (move.kind === 'provider')
          send({ type: 'provider', load: state.load - move.back, event: move.event, reading: move.reading })
        else if (move.kind === 'timer') {
          // Only a started timer can fire.
          if (!world.timers.has(move.name)) continue
          if (!world.timers.get(move.name)) world.timers.delete(move.name)
          send({ type: 'timer', name: move.name, reading: move.reading })
        } else if (move.kind === 'lock')
          send({ type: 'lock-answered', request: state.lockRequest - move.back, outcome: move.outcome })
        else send(move.event)
      }
      seen.ended += world.endedLoads.size
      seen.completed += world.completions
      send({ type: 'leave' })
      check(world.timers.size === 0)
      check(!world.lockAnswered)
    }),
    { numRuns: 6_000 },
  )
  // The random events reach the states that the rules protect.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
})
