import { useSyncExternalStore } from 'react'
import { formatExactTime, formatRelativeTime } from './format.ts'

const tickMs = 30_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

/** One clock for all relative times of the page; it stops while none is shown. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** The time in ms, updated every half minute, for relative times. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => {
    if (Date.now() - now >= tickMs) now = Date.now()
    return now
  })
}

interface RelativeTimeProps {
  time: string
  /** Inside a sentence: "just now" instead of "Just now". */
  inline?: boolean
}

/** "5m ago", with the exact local time on hover and for screen readers. */
export function RelativeTime({ time, inline = false }: RelativeTimeProps) {
  const exact = formatExactTime(time)
  const text = formatRelativeTime(time, useNow())
  const relative = inline && text === 'Just now' ? 'just now' : text
  return (
    <time dateTime={time} title={exact} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden="true">{relative}</span>
      <span className="wl-hidden">{`${relative} (${exact})`}</span>
    </time>
  )
}
