import { describe, expect, test } from '@jest/globals'
import type { OverrideKind } from '@watchline/contracts/fields'
import {
  formatCredited,
  type ReportFigures,
  type ReportGrouping,
  reportGrouping,
  reportStatus,
} from '@watchline/contracts/reports'
import fc from 'fast-check'
import { isPlaylistComplete, summarisePlaylist } from '../../src/rules/overview.ts'
import type { Playlist } from '../../src/rules/playlist.ts'
import { allTime, composeRecord, type RecordPeriod } from '../../src/rules/record/compose-record.ts'
import type { TaskFact } from '../../src/rules/record/task-history.ts'
import { sumHundredths } from '../../src/rules/summary.ts'
import { formatCsv } from '../../src/rules/task-report/format-csv.ts'
import {
  type CountedTask,
  isSelected,
  listCountedTasks,
  type TaskReportSource,
} from '../../src/rules/task-report/list-tasks.ts'
import { addToTaskReport, listRows, presentSums, startTaskReport } from '../../src/rules/task-report/sum-tasks.ts'
import {
  type CreditPoint,
  earlierVideoKey,
  type VideoWatch,
  videoKey,
  type Watches,
} from '../../src/rules/watch-state.ts'

const now = 1_000
const never = Number.POSITIVE_INFINITY

const playlistOf = (id: string, durations: number[]): Playlist => ({
  ...{ id, title: `Playlist ${id}`, createdBy: 'somebody', sharedWith: [], revision: 1, deletedAt: null },
  videos: durations.map((duration, index) => ({
    ...{ id: `v${index}`, title: `Video ${index}`, duration, unavailable: index === 2, lostAt: null },
  })),
  removedVideos: [{ id: 'gone', title: 'Gone', duration: 20, unavailable: false, lostAt: 5 }],
})
const playlists = [playlistOf('p0', [10]), playlistOf('p1', [33.33, 7.77]), playlistOf('p2', [12.5, 60, 5])]

const dueOf = (at: number) => ({ at: new Date(at).toISOString(), local: '2026-01-01T17:00', time_zone: 'UTC' })
const factOf = (kind: TaskFact['kind'], playlistId: string, at: number, fields: Partial<TaskFact> = {}): TaskFact => ({
  ...{ kind, playlistId, at, by: null, due: null, reason: '', resetAt: null },
  ...{ recurrence: null, previousDue: null, skipped: [], ...fields },
})

/** `earlierPoints`: the times of earlier credit, with its share; null without a history. */
function watchOf(
  seconds: number,
  duration: number,
  at: number,
  earlierPoints: readonly CreditPoint[] | null = null,
): VideoWatch {
  const end = Math.min(seconds, duration)
  const completedAt = end >= 0.9 * duration ? at : null
  const points = (earlierPoints ?? []).map(([time, share]): CreditPoint => [Math.min(time, at), share * end])
  const sorted = (index: 0 | 1) => points.map(point => point[index]).sort((left, right) => left - right)
  const [times, credits] = [sorted(0), sorted(1)]
  const creditHistory = [...times.map((time, index): CreditPoint => [time, credits[index]!]), [at, end] as const]
  return {
    ...{ intervals: [[0, end]], watchTime: seconds, duration, notes: {}, completedAt, lastReportAt: at },
    ...(earlierPoints && { creditHistory }),
  }
}

const instant = fc.integer({ min: 1, max: now })
const override = fc.constantFrom<OverrideKind | null>(null, null, 'exempt', 'marked_done')
const watching = fc.option(
  fc.record({
    seconds: fc.double({ min: 0.01, max: 70, noNaN: true }),
    at: instant,
    earlierPoints: fc.option(fc.array(fc.tuple(instant, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 3 })),
  }),
  { freq: 4 },
)
const bound = fc.option(instant, { freq: 3 })
/** With and without bounds; the later one is not included. */
const reportPeriod = fc.tuple(bound, bound).map(([from, until]): RecordPeriod => {
  const isReversed = from !== null && until !== null && from > until
  const [first, last] = isReversed ? [until, from] : [from, until]
  return { from: first ?? allTime.from, until: last ?? allTime.until }
})
/** A task of each playlist: terms, watching of each video now and before, facts. */
const task = fc.option(
  fc.record({
    ...{ assignedAt: instant, dueAt: fc.option(fc.integer({ min: 1, max: 2 * now })), override },
    watched: fc.array(watching, { minLength: 4, maxLength: 4 }),
    earlier: fc.array(watching, { minLength: 3, maxLength: 3 }),
    /** The opening of the present occurrence, and the times of completion facts. */
    recurredAt: fc.option(instant),
    skipped: fc.array(instant, { maxLength: 2 }),
    completedAt: fc.array(instant, { maxLength: 2 }),
    resetAt: fc.option(instant),
    percent: fc.constantFrom(50, 75, 90, 95, 100),
  }),
  { freq: 5 },
)
type GeneratedTask = NonNullable<typeof task extends fc.Arbitrary<infer T> ? T : never>
const person = fc.record({
  supervisorId: fc.constantFrom('s1', 's2', null),
  groupIds: fc.subarray(['g1', 'g2', 'g3']),
  tasks: fc.tuple(...playlists.map(() => task)),
})
type Generated = typeof person extends fc.Arbitrary<infer T> ? T : never

function createSource(generated: Generated): TaskReportSource {
  const watches: Record<string, VideoWatch> = {}
  const facts: TaskFact[] = []
  const assigned: { playlist: Playlist; input: GeneratedTask }[] = []
  for (const [index, input] of generated.tasks.entries()) {
    if (!input) continue
    const playlist = playlists[index]!
    assigned.push({ playlist, input })
    const videos = [...playlist.videos, ...playlist.removedVideos]
    for (const [videoIndex, { id, duration }] of videos.entries()) {
      const key = videoKey(playlist.id, id)
      const [present, earlier] = [input.watched[videoIndex], input.earlier[videoIndex]]
      if (present) watches[key] = watchOf(present.seconds, duration, present.at, present.earlierPoints)
      if (earlier && input.recurredAt !== null)
        watches[earlierVideoKey(key, input.recurredAt)] = watchOf(
          earlier.seconds,
          duration,
          earlier.at,
          earlier.earlierPoints,
        )
    }
    facts.push(
      factOf('assigned', playlist.id, input.assignedAt, { due: input.dueAt === null ? null : dueOf(input.dueAt) }),
    )
    for (const at of input.completedAt) facts.push(factOf('completed', playlist.id, at))
    if (input.override) facts.push(factOf(input.override === 'exempt' ? 'exempt' : 'mark_done', playlist.id, now))
    if (input.recurredAt !== null) {
      const skipped = input.skipped.map(dueOf)
      const opening = { due: dueOf(input.recurredAt + 5), previousDue: dueOf(input.recurredAt), skipped }
      facts.push(factOf('recurred', playlist.id, input.recurredAt, opening))
    }
    if (input.resetAt !== null) facts.push(factOf('reset', playlist.id, input.resetAt))
  }
  return {
    watches,
    facts: facts.sort((left, right) => left.at - right.at),
    tasks: assigned.map(({ playlist, input: { assignedAt, dueAt, override, percent } }) => {
      const state = isPlaylistComplete(playlist, watches, percent) ? 'completed' : override
      return {
        ...{ playlist, assignedAt, resetAt: null, dueAt, dueSetAt: null, overdueAt: dueAt },
        ...{ requiredPercent: percent, state },
      }
    }),
  }
}

/** The record of the same tasks. */
function createRecord({ tasks, watches, facts }: TaskReportSource, period = allTime) {
  return composeRecord({
    ...{ personId: 'person', period, sessions: [], facts, findNextDue: () => null },
    playlists: tasks.map(({ playlist, state, requiredPercent }) => {
      const overview = summarisePlaylist(playlist, watches, requiredPercent)
      const earlierAttempts = overview.earlierAttempts.map(attempt => ({ ...attempt, by: null, reason: '' }))
      const isClosedByHand = !overview.completed && (state === 'exempt' || state === 'marked_done')
      const at = new Date(now).toISOString()
      const override = isClosedByHand ? { kind: state, at, by: null, reason: '' } : null
      return { overview, wasAssigned: true, earlierAttempts, override, conditions: null, due: null }
    }),
    present: new Map(tasks.map(({ playlist, assignedAt, dueAt }) => [playlist.id, { assignedAt: assignedAt!, dueAt }])),
  })
}

const personOf = (index: number, supervisorId: string | null) => ({
  ...{ id: `person${index}`, name: `Trainee ${index}`, email: `trainee${index}@example.com`, supervisorId },
})

/** The seconds of a text as `1:02:05.50`. */
function readCredited(text: string): number {
  const [hours, minutes, seconds] = text.split(':').map(Number)
  return sumHundredths([hours! * 3_600, minutes! * 60, seconds!])
}

const addedKeys = ['tasks', ...reportStatus.options] as const

describe('a report', () => {
  test.each(reportGrouping.options.filter(by => by !== 'group'))('by %s has rows that add up to the total', by => {
    fc.assert(
      fc.property(
        fc.array(person, { maxLength: 6 }),
        fc.option(fc.constantFrom(...reportStatus.options)),
        reportPeriod,
        (people, status, period) => {
          const draft = startTaskReport(by)
          people.forEach((generated, index) => {
            const tasks = listCountedTasks(createSource(generated), period, now)
            const selection = { period, status: status ?? undefined }
            addToTaskReport(
              draft,
              personOf(index, generated.supervisorId),
              tasks.filter(found => isSelected(found, selection)),
            )
          })
          const [rows, total] = [listRows(draft), presentSums(draft.total)]
          for (const key of addedKeys) expect(rows.reduce((sum, row) => sum + row[key], 0)).toBe(total[key])
          for (const key of ['credited_seconds', 'credited_in_period'] as const)
            expect(sumHundredths(rows.map(row => row[key] ?? Number.NaN))).toBe(total[key])
          for (const figures of [...rows, total]) {
            expect(reportStatus.options.reduce((sum, key) => sum + figures[key], 0)).toBe(figures.tasks)
            expect(figures.people).toBeLessThanOrEqual(total.people)
            expect(figures.credited_in_period).toBeLessThanOrEqual(figures.credited_seconds)
            if (period.from === allTime.from && period.until === allTime.until)
              expect(figures.credited_in_period).toBe(figures.credited_seconds)
          }
          // Each person has one supervisor, but may have tasks of several playlists.
          const sumOfPeople = rows.reduce((sum, row) => sum + row.people, 0)
          if (by === 'playlist') expect(sumOfPeople).toBeGreaterThanOrEqual(total.people)
          else expect(sumOfPeople).toBe(total.people)
        },
      ),
    )
  })

  test('by group has in each row the report of the members, and the total of every other report', () => {
    fc.assert(
      fc.property(fc.array(person, { maxLength: 6 }), reportPeriod, (people, period) => {
        const sum = (by: ReportGrouping, isCounted: (generated: Generated) => boolean = () => true) => {
          const draft = startTaskReport(by)
          people.forEach((generated, index) => {
            if (!isCounted(generated)) return
            const tasks = listCountedTasks(createSource(generated), period, now)
            const groups = generated.groupIds.map(id => ({ id, name: `Group ${id}` }))
            addToTaskReport(
              draft,
              { ...personOf(index, generated.supervisorId), groups },
              tasks.filter(found => isSelected(found, { period })),
            )
          })
          return { rows: listRows(draft), total: presentSums(draft.total) }
        }
        const { rows, total } = sum('group')
        expect(total).toEqual(sum('person').total)
        for (const { id, name, email, ...figures } of rows) {
          expect([name, email]).toEqual([id === null ? null : `Group ${id}`, null])
          const isMember = ({ groupIds }: Generated) => (id === null ? groupIds.length === 0 : groupIds.includes(id))
          expect(sum('group', isMember).total).toEqual(figures)
        }
        const ids = rows.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        for (const id of ['g1', 'g2', 'g3'])
          expect(ids.includes(id)).toBe(sum('group', ({ groupIds }) => groupIds.includes(id)).total.tasks > 0)
      }),
    )
  })

  test('says of a person what the record says of the same tasks', () => {
    fc.assert(
      fc.property(person, generated => {
        const source = createSource(generated)
        const draft = startTaskReport('person')
        addToTaskReport(draft, personOf(0, null), listCountedTasks(source, allTime, now))
        const figures: ReportFigures = presentSums(draft.total)
        const { tasks, totals } = createRecord(source)
        const all = totals.all_attempts!
        expect({
          completed: figures.completed_in_time + figures.completed_late + figures.completed_without_due,
          unfinished: figures.open + figures.overdue,
          ...{ missed: figures.missed, exempt: figures.exempt, marked_done: figures.marked_done },
          credited: figures.credited_seconds,
        }).toEqual({
          completed: totals.completed_tasks + all.completed_occurrences,
          unfinished: tasks.filter(task => !task.completed && !task.override).length,
          missed: all.missed_occurrences,
          exempt: totals.exempt_tasks + all.exempt_occurrences,
          marked_done: totals.marked_done_tasks + all.marked_done_occurrences,
          credited: all.credited_seconds,
        })
      }),
    )
  })

  test('has the credit of its period, as the record, the file, and the text of page and mail have it', () => {
    fc.assert(
      fc.property(person, reportPeriod, (generated, period) => {
        const source = createSource(generated)
        const draft = startTaskReport('person')
        addToTaskReport(draft, personOf(0, null), listCountedTasks(source, period, now))
        const [rows, total] = [listRows(draft), presentSums(draft.total)]
        const { totals } = createRecord(source, period)
        expect(totals.all_attempts!.credited_in_period).toBe(total.credited_in_period)
        const [header, ...lines] = [...formatCsv({ by: 'person', rows, total })].join('').trimEnd().split('\r\n')
        const column = header!.split(',').indexOf('credited_in_period')
        expect(lines.map(line => Number(line.split(',')[column]))).toEqual(
          [...rows, total].map(figures => figures.credited_in_period),
        )
        expect(readCredited(formatCredited(total.credited_in_period))).toBe(total.credited_in_period)
      }),
    )
  })

  test('counts the ended occurrences of its period, as the record of the same period does', () => {
    fc.assert(
      fc.property(person, reportPeriod, (generated, period) => {
        const source = createSource(generated)
        const byPlaylist = Map.groupBy(listCountedTasks(source, period, now), ({ playlist }) => playlist.id)
        // The last one of each playlist is the present task.
        const occurrences = [...byPlaylist.values()].flatMap(tasks => tasks.slice(0, -1))
        const counted = occurrences.filter(found => isSelected(found, { period }))
        const countOf = (...statuses: CountedTask['status'][]) =>
          counted.filter(({ status }) => statuses.includes(status)).length
        expect(createRecord(source, period).totals.all_attempts).toMatchObject({
          completed_occurrences: countOf('completed_in_time', 'completed_late', 'completed_without_due'),
          missed_occurrences: countOf('missed'),
          exempt_occurrences: countOf('exempt'),
          marked_done_occurrences: countOf('marked_done'),
        })
      }),
    )
  })

  test('of periods that follow each other has all credit of the tasks', () => {
    fc.assert(
      fc.property(person, instant, (generated, middle) => {
        const creditIn = (period: RecordPeriod) =>
          listCountedTasks(createSource(generated), period, now).map(task => task.creditedInPeriodHundredths)
        const [before, after] = [creditIn({ ...allTime, until: middle }), creditIn({ ...allTime, from: middle })]
        const tasks = listCountedTasks(createSource(generated), allTime, now)
        expect(before.map((credit, index) => credit + after[index]!)).toEqual(
          tasks.map(({ creditedHundredths }) => creditedHundredths),
        )
      }),
    )
  })

  test('counts exempt tasks in no rate, and tasks that were marked as done as not watched', () => {
    const credited = {
      startedAt: 1,
      closedAt: 2,
      creditedHundredths: 0,
      creditedInPeriodHundredths: 0,
      playlist: playlists[0]!,
    }
    const rateOf = (...statuses: CountedTask['status'][]) => {
      const draft = startTaskReport('organisation')
      addToTaskReport(
        draft,
        personOf(0, null),
        statuses.map(status => ({ ...credited, status })),
      )
      return presentSums(draft.total).completed_rate
    }
    expect(rateOf('exempt')).toBeNull()
    expect(rateOf('exempt', 'completed_in_time')).toBe(100)
    expect(rateOf('marked_done', 'completed_late', 'exempt')).toBe(50)
    expect(rateOf('completed_without_due', 'open', 'overdue')).toBe(33)
  })
})

describe('a task', () => {
  const [list] = playlists
  const statusOf = (
    fields: Partial<TaskReportSource['tasks'][number]>,
    watches: Watches = {},
    facts: TaskFact[] = [],
  ) => {
    const source = {
      tasks: [
        {
          playlist: list!,
          assignedAt: 1,
          resetAt: null,
          dueAt: null,
          dueSetAt: null,
          overdueAt: fields.dueAt ?? null,
          requiredPercent: 90,
          state: null,
          ...fields,
        },
      ],
      watches,
      facts,
    }
    return listCountedTasks(source, allTime, now).at(-1)!
  }
  const watchedAt = (at: number): Watches => ({ [videoKey('p0', 'v0')]: watchOf(10, 10, at) })

  test.each([
    [null, 'completed_without_due'],
    [500, 'completed_in_time'],
    [499, 'completed_late'],
  ])('that was completed at 500 with the due date %s is %s', (dueAt, status) => {
    expect(statusOf({ dueAt }, watchedAt(500)).status).toBe(status)
  })

  test('stays completed at its time if the playlist grows later', () => {
    const facts = [factOf('assigned', 'p0', 1), factOf('completed', 'p0', 400)]
    const found = statusOf({ dueAt: 450 }, {}, facts)
    expect(found).toMatchObject({ status: 'completed_in_time', closedAt: 400 })
  })

  test.each([
    [50, 5, true],
    [50, 4.9, false],
    [89, 8.9, true],
    [90, 8.9, false],
    [95, 9.4, true],
    [95, 9.3, false],
    [100, 9.9, true],
    [100, 9.8, false],
  ])('that requires %s%% is completed with %s of 10 seconds: %s', (requiredPercent, seconds, completed) => {
    const watches = { [videoKey('p0', 'v0')]: watchOf(seconds, 10, 500) }
    expect(isPlaylistComplete(list!, watches, requiredPercent)).toBe(completed)
    expect(summarisePlaylist(list!, watches, requiredPercent).completed).toBe(completed)
    expect(statusOf({ requiredPercent }, watches).status).toBe(completed ? 'completed_without_due' : 'open')
  })

  test('that requires 95% of a long video is not completed at 90%', () => {
    const long = playlistOf('p0', [100])
    const complete = (seconds: number) =>
      isPlaylistComplete(long, { [videoKey('p0', 'v0')]: watchOf(seconds, 100, 500) }, 95)
    expect([90, 93.9, 94, 95].map(complete)).toEqual([false, false, true, true])
  })

  test('is overdue after its grace period, and in time if it is completed in it', () => {
    expect(statusOf({ dueAt: 500, overdueAt: now }).status).toBe('overdue')
    expect(statusOf({ dueAt: 500, overdueAt: now + 1 }).status).toBe('open')
    expect(statusOf({ dueAt: 499, overdueAt: 500 }, watchedAt(500)).status).toBe('completed_in_time')
    expect(statusOf({ dueAt: 498, overdueAt: 499 }, watchedAt(500)).status).toBe('completed_late')
  })

  test('is overdue from its due date on', () => {
    expect(statusOf({ dueAt: now }).status).toBe('overdue')
    expect(statusOf({ dueAt: now + 1 }).status).toBe('open')
  })

  test.each([
    ['ends before it began', 1, 100, false],
    ['ends after it began', 1, 101, true],
    ['begins when it was closed', 500, 600, true],
    ['begins after it was closed', 501, 600, false],
    ['is within it', 200, 300, true],
    ['has no bounds', -never, never, true],
  ])('from 100 to 500, and a period that %s: %s to %s', (_case, from, until, expected) => {
    const found = statusOf({ assignedAt: 100 }, watchedAt(500))
    expect(isSelected(found, { period: { from, until } })).toBe(expected)
  })
})
