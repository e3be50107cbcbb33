import { setImmediate } from 'node:timers'

// jsdom has none; with it the fake database takes its turns in step with `settleAll`. Import this before the database.
Object.assign(globalThis, { setImmediate })
