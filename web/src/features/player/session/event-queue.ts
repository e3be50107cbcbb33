/**
 * Finishes each event before the next begins, because handling an event may send another before it
 * returns. `onEmpty` follows when all events that were sent meanwhile are handled, too.
 */
export function createEventQueue<T>(handle: (event: T) => void, onEmpty: () => void): (event: T) => void {
  const queue: T[] = []
  let isHandling = false

  return event => {
    queue.push(event)
    if (isHandling) return
    isHandling = true
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) handle(next)
    } finally {
      isHandling = false
    }
    onEmpty()
  }
}
