// Adds the demo organisation to the distributed system. This process briefly is a replica of two
// services.
import { openPorts } from '@watchline/kit/process/run-process'
import { readAuthConfig } from '../../../services/auth/src/config.ts'
import { createAuthService } from '../../../services/auth/src/service.ts'
import { readPlaybackSessionConfig } from '../../../services/playback-session/src/config.ts'
import { createPlaybackSessionService } from '../../../services/playback-session/src/service.ts'
import { seedDemo } from '../demo/seed-demo.ts'

const env = { ...process.env, PORT: '0', DRAIN_MS: '0', LOG_LEVEL: 'warn' }
const config = readAuthConfig(env)
const { close, ...ports } = await openPorts('seed', config)
const auth = createAuthService(config, ports)
const playback = createPlaybackSessionService(readPlaybackSessionConfig(env), ports)
await auth.start()
await playback.start()
await seedDemo({ auth, playback, log: line => console.log(line) })
await playback.stop()
await auth.stop()
await close()
process.exit(0)
