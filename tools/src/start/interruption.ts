/**
 * Ctrl-C and kill, for a program that first provisions and then works. While nothing is up yet a signal ends the program
 * at once (guards end what has started); after `arm()` it settles `arrived`, and the program stops by itself.
 */
export function watchForInterruption() {
  let armed = false
  const arrived = new Promise<NodeJS.Signals>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => (armed ? resolve(signal) : process.exit(130)))
  })
  return {
    arrived,
    arm() {
      armed = true
    },
  }
}
