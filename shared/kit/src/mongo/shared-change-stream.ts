import type { Connection } from 'mongoose'
import type { Logger } from '../observability/log.ts'

export interface DocumentChange {
  id: string
  /** MongoDB's name of the operation: `insert`, `update`, `replace` or `delete`. */
  operationType: string
}

export interface ChangeListener {
  collection: string
  onChange(change: DocumentChange): void
  /** Any document may have changed, because changes may have been missed. */
  onLoss(): void
}

export interface ChangeSubscription {
  start(): void
  stop(): Promise<void>
  /** Whether changes arrive now; false before the start. */
  isLive(): boolean
}

interface SharedChangeStream {
  subscribe(listener: ChangeListener): ChangeSubscription
}

const reopenMs = 500
/** Without changes, the server answers after this time. */
const awaitMs = 3_000
/** A silent stream counts as lost, even while the driver tries to resume it. */
const silenceLimitMs = 2 * awaitMs

const streams = new WeakMap<Connection, SharedChangeStream>()

/**
 * Subscribes to the changes of a collection. All subscriptions of a connection share one change
 * stream, because MongoDB examines each write to any database once for each open stream.
 */
export function subscribeToChanges(connection: Connection, listener: ChangeListener, log: Logger): ChangeSubscription {
  let shared = streams.get(connection)
  if (!shared) {
    shared = createSharedStream(connection, log)
    streams.set(connection, shared)
  }
  return shared.subscribe(listener)
}

function createSharedStream(connection: Connection, log: Logger): SharedChangeStream {
  /**
   * Collections of all subscriptions, started or not, so that the first start opens a stream for
   * all.
   */
  const collections = new Set<string>()
  const started = new Set<ChangeListener>()
  let streamed: ReadonlySet<string> = new Set()
  let stream: ReturnType<NonNullable<Connection['db']>['watch']> | undefined
  let reopenTimer: NodeJS.Timeout | undefined
  let lastHeardAt = Number.NEGATIVE_INFINITY

  const isLive = () => performance.now() - lastHeardAt < silenceLimitMs

  function reportLoss() {
    for (const listener of started) listener.onLoss()
  }

  /** Called at least every `awaitMs`. A silence before it may have hidden a change. */
  function recordAnswer() {
    if (!isLive()) reportLoss()
    lastHeardAt = performance.now()
  }

  function open() {
    streamed = new Set(collections)
    const opened = connection.db!.watch([{ $match: { 'ns.coll': { $in: [...streamed] } } }], {
      maxAwaitTimeMS: awaitMs,
    })
    stream = opened
    // The driver hides its `init` event. A resume token comes with the first and each empty answer.
    opened.on('resumeTokenChanged', () => {
      if (stream === opened) recordAnswer()
    })
    opened.on('change', change => {
      if (stream !== opened) return
      recordAnswer()
      // A change without `documentKey`, such as `drop`, concerns the whole collection.
      if (!('documentKey' in change)) return reportLoss()
      const { operationType, documentKey, ns } = change
      const documentChange = { id: String(documentKey._id), operationType }
      for (const listener of started) if (listener.collection === ns.coll) listener.onChange(documentChange)
    })
    const reopen = (error?: unknown) => {
      if (stream !== opened) return
      void close()
      if (error) log.warn({ err: error }, 'change stream lost; reading without a cache meanwhile')
      reopenTimer = setTimeout(open, reopenMs)
    }
    opened.on('error', reopen)
    opened.on('close', () => reopen())
  }

  function close(): Promise<void> | undefined {
    const closed = stream
    stream = undefined
    clearTimeout(reopenTimer)
    reopenTimer = undefined
    lastHeardAt = Number.NEGATIVE_INFINITY
    reportLoss()
    return closed?.close().catch(() => {})
  }

  return {
    subscribe: listener => {
      collections.add(listener.collection)
      return {
        isLive: () => started.has(listener) && isLive(),
        start: () => {
          const isFirst = started.size === 0
          started.add(listener)
          // A load that began before may miss a change that was not reported to this listener.
          listener.onLoss()
          if (streamed.has(listener.collection) && !isFirst) return
          void close()
          open()
        },
        stop: async () => {
          started.delete(listener)
          listener.onLoss()
          if (started.size === 0) await close()
        },
      }
    },
  }
}
