/**
 * Ctrl-C and `kill`, for a program that first provisions servers and then works. Before `arm()` a
 * signal ends the program at once, and guards end the servers. After `arm()` it resolves `signal`,
 * and the program stops in order.
 */
export function watchForInterruption() {
  let armed = false
  const signal = new Promise<NodeJS.Signals>(resolve => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => (armed ? resolve(name) : process.exit(130)))
  })
  return {
    signal,
    arm() {
      armed = true
    },
  }
}
