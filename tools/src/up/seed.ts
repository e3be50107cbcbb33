// Adds the demo organisation to the distributed system. This process briefly is a replica of two
// services.
import { openPorts } from '@watchline/kit/process/run-process'
import { readAuthConfig } from '../../../services/auth/src/config.ts'
import { createAuthService } from '../../../services/auth/src/service.ts'
import { readPlaybackSessionConfig } from '../../../services/playback-session/src/config.ts'
import { createPlaybackSessionService } from '../../../services/playback-session/src/service.ts'
import { seedDemo } from '../demo/seed-demo.ts'

const env: NodeJS.ProcessEnv = { ...process.env, PORT: '0', DRAIN_MS: '0', LOG_LEVEL: 'warn' }
const config = readAuthConfig(env)
const { close: closeFirst, ...ports } = await openPorts('auth', config)
const auth = createAuthService(config, ports)
// Each service has users of its own at the stores.
const second = readPlaybackSessionConfig({ ...env, AMQP_URL: env.SECOND_AMQP_URL, REDIS_URL: env.SECOND_REDIS_URL })
const { close: closeSecond, ...secondPorts } = await openPorts('playback-session', second)
const playback = createPlaybackSessionService(second, secondPorts)
await auth.start()
await playback.start()
await seedDemo({ auth, playback, log: line => console.log(line) })
await playback.stop()
await auth.stop()
await closeSecond()
await closeFirst()
process.exit(0)
