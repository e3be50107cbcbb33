import { setImmediate } from 'node:timers'

// jsdom has no setImmediate. With it the fake database works in step with `settleAll`. Import this
// before the database.
Object.assign(globalThis, { setImmediate })
