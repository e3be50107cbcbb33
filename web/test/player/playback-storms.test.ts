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
import { makeSessionPlaylist, makeSessionStatus } from './_session-driver.ts'

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
    { type: 'status-answered', status: makeSessionStatus() },
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
const readingAt = (position: number): Reading => ({ position, duration: 60, rate: 1 })
const regularMoves: Exclude<Move, { kind: 'scene' }>[] = [
  { kind: 'user', event: { type: 'visible' } },
  { kind: 'provider', event: { type: 'cued' }, back: 0, reading: readingAt(0) },
  { kind: 'lock', outcome: 'held', back: 0 },
  { kind: 'provider', event: { type: 'playing' }, back: 0, reading: readingAt(0) },
  { kind: 'timer', name: 'tick', reading: readingAt(60) },
  { kind: 'provider', event: { type: 'ended' }, back: 0, reading: readingAt(60) },
  { kind: 'timer', name: 'countdown', reading: readingAt(60) },
  { kind: 'timer', name: 'countdown', reading: readingAt(60) },
  { kind: 'timer', name: 'countdown', reading: readingAt(60) },
]

function assertRule(condition: boolean): void {
  if (!condition) throw new Error('a rule of the session was broken')
}

/** The state outside the machine, derived from its effects alone. */
interface ObservedState {
  lockAnswered: boolean
  playReported: boolean
  endedLoads: Set<number>
  completions: number
  timers: Map<TimerName, boolean>
}

function applyEffects(
  observed: ObservedState,
  previousState: SessionState,
  event: SessionEvent,
  effects: Effect[],
  nextState: SessionState,
): void {
  if (
    event.type === 'lock-answered' &&
    event.request === previousState.lockRequest &&
    previousState.lock === 'requested'
  )
    observed.lockAnswered = event.outcome === 'held'
  let load = previousState.load
  for (const effect of effects) {
    switch (effect.type) {
      case 'request-lock':
      case 'release-lock':
        observed.lockAnswered = false
        break
      case 'load':
        load = effect.load
        assertRule(effect.load > previousState.load)
        assertRule(!observed.playReported)
        break
      case 'play':
        assertRule(observed.lockAnswered)
        assertRule(!nextState.hidden)
        break
      case 'track':
        assertRule(effect.position >= 0)
        if (effect.event === 'play') {
          assertRule(!observed.playReported)
          assertRule(observed.lockAnswered)
          observed.playReported = true
        } else if (effect.event === 'playing') assertRule(observed.playReported)
        else if (effect.event === 'pause') {
          assertRule(observed.playReported)
          observed.playReported = false
        } else if (effect.event === 'ended') {
          assertRule(!observed.endedLoads.has(load))
          observed.endedLoads.add(load)
          observed.playReported = false
        } else {
          observed.completions += 1
          assertRule(observed.completions === 1)
        }
        break
      case 'start-timer':
        observed.timers.set(effect.name, effect.repeat)
        break
      case 'stop-timer':
        observed.timers.delete(effect.name)
        break
    }
  }
}

test('no sequence of events ends a video twice, plays without the lock, or skips a video', () => {
  const reached = { ended: 0, completed: 0, elsewhere: 0, plays: 0 }
  fc.assert(
    fc.property(fc.array(moves, { minLength: 20, maxLength: 160 }), script => {
      let state = initialState(makeSessionPlaylist(videoCount))
      const observed: ObservedState = {
        lockAnswered: false,
        playReported: false,
        endedLoads: new Set(),
        completions: 0,
        timers: new Map(),
      }
      const send = (event: SessionEvent) => {
        const previousState = state
        const result = applySessionEvent(previousState, event)
        state = result.state
        applyEffects(observed, previousState, event, result.effects, state)
        reached.plays += result.effects.filter(effect => effect.type === 'play').length
        if (state.phase === 'elsewhere') reached.elsewhere += 1

        const restored = event.type === 'status-answered'
        if (!restored) assertRule(state.index === previousState.index || state.index === previousState.index + 1)
        assertRule(state.index < videoCount)
        if (state.phase === 'playing' || state.phase === 'buffering') {
          assertRule(observed.lockAnswered)
          assertRule(!state.hidden)
          assertRule(observed.timers.has('tick') && observed.timers.has('save') && observed.timers.has('heartbeat'))
        } else assertRule(!observed.timers.has('heartbeat'))
        if (state.phase === 'starting' && !state.reloading) assertRule(observed.timers.has('check'))
        if (['paused', 'elsewhere', 'refused', 'completed'].includes(state.phase)) {
          assertRule(!observed.playReported)
          assertRule(!observed.lockAnswered)
        }
      }
      send({ type: 'start' })
      send({ type: 'status-answered', status: undefined })
      for (const move of script.flatMap(item =>
        item.kind === 'scene' ? regularMoves.slice(0, item.length) : [item],
      )) {
        if (move.kind === 'provider')
          send({ type: 'provider', load: state.load - move.back, event: move.event, reading: move.reading })
        else if (move.kind === 'timer') {
          // Only a started timer can fire.
          if (!observed.timers.has(move.name)) continue
          if (!observed.timers.get(move.name)) observed.timers.delete(move.name)
          send({ type: 'timer', name: move.name, reading: move.reading })
        } else if (move.kind === 'lock')
          send({ type: 'lock-answered', request: state.lockRequest - move.back, outcome: move.outcome })
        else send(move.event)
      }
      reached.ended += observed.endedLoads.size
      reached.completed += observed.completions
      send({ type: 'leave' })
      assertRule(observed.timers.size === 0)
      assertRule(!observed.lockAnswered)
    }),
    { numRuns: 6_000 },
  )
  // The random events reach the states that the rules protect.
  for (const count of Object.values(reached)) expect(count).toBeGreaterThan(20)
})
