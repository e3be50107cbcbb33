// Starts a server under the guard and waits until it is killed.
import { startGuarded } from '../src/provision/guard.ts'

const [logFile = '', ...command] = process.argv.slice(2)
startGuarded({ command: command[0] ?? '', args: command.slice(1), logFile })
