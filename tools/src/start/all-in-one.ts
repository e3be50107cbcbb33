import { join, resolve } from 'node:path'
import { consumersOf } from '@watchline/contracts/events'
import { freePort } from '@watchline/kit/core/free-port'
import { trustAuthority } from '@watchline/kit/core/tls'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { createLogger } from '@watchline/kit/observability/log'
import { openTracing } from '@watchline/kit/observability/tracing-open'
import { readGatewayConfig } from '../../../gateway/src/config.ts'
import { createGateway } from '../../../gateway/src/gateway.ts'
import { readAuthConfig } from '../../../services/auth/src/config.ts'
import { seedDemoHistory } from '../demo/history/seed-history.ts'
import { clipFolder } from '../demo/playlists.ts'
import { seedDemo } from '../demo/seed-demo.ts'
import { createDeadLetterFile } from '../operator/dead-letter-file.ts'
import { provisionMongo } from '../provision/mongo.ts'
import { cacheFolder } from '../provision/paths.ts'
import type { Log } from '../provision/types.ts'
import { developmentSecrets } from './secrets.ts'
import { startServices, waitForAll } from './services.ts'
import { ensureWebBuild } from './web-build.ts'

export interface AllInOneOptions {
  env: NodeJS.ProcessEnv
  /** The gateway's port. 0 chooses a free one. */
  port: number
  /** The folder of the database and the secrets. */
  dataDir: string
  /** Adds the demo organisation. */
  demo?: boolean
  /** The folder under /media. Default in a demo: the demo's clips. */
  mediaRoot?: string
  log: Log
}

export interface AllInOne {
  url: string
  stop(): Promise<void>
}

/**
 * Watchline in one process: gateway and five services on a real MongoDB, with the in-process bus
 * and the in-memory live store. Services start in order of dependency and stop in reverse.
 */
export async function startAllInOne(options: AllInOneOptions): Promise<AllInOne> {
  const { env: callerEnv, dataDir: folder, demo, mediaRoot, log } = options
  // Chosen before anything starts, because sign-in needs the address that browsers use.
  const port = options.port || (await freePort())
  const dataDir = resolve(folder)
  const scheme = callerEnv.TLS_CERT_FILE ? 'https' : 'http'
  if (callerEnv.TLS_CA_FILE) trustAuthority(callerEnv.TLS_CA_FILE)
  const cleanups: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
  }
  try {
    const [mongo, webRoot] = await waitForAll(
      provisionMongo({ dataDir: join(dataDir, 'mongo'), cacheDir: cacheFolder(), log }).then(server => {
        cleanups.push(server.stop)
        return server
      }),
      callerEnv.WEB_ROOT || ensureWebBuild({ log }),
    )
    const env: NodeJS.ProcessEnv = {
      LOG_LEVEL: 'warn',
      ...(callerEnv.NODE_ENV === 'production' ? {} : developmentSecrets(dataDir, callerEnv)),
      ...callerEnv,
      MONGO_URL: mongo.url,
      PUBLIC_URL: callerEnv.PUBLIC_URL || `${scheme}://localhost:${port}`,
    }
    const mediaFolder = mediaRoot ?? (env.MEDIA_ROOT || (demo ? clipFolder : undefined))
    // The services listen on this machine only, so that their metrics need no port of their own.
    const internalEnv = {
      ...env,
      MEDIA_ROOT: mediaFolder,
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '',
      TLS_CERT_FILE: '',
      TLS_KEY_FILE: '',
    }
    if (demo) await seedDemoHistory({ env: internalEnv, log })
    const processLog = createLogger('watchline', env.LOG_LEVEL ?? 'warn')
    const deadLetterFile = createDeadLetterFile(join(dataDir, 'dead-letters.json'))
    const bus = createInProcessBus({ consumersOf, deadLetterStore: deadLetterFile, log: processLog })
    const live = createMemoryLiveStore()
    cleanups.push(() => live.close())
    cleanups.push(() => bus.close())
    const authConfig = readAuthConfig(internalEnv)
    const tracing = await openTracing(authConfig, processLog)
    if (tracing) cleanups.unshift(() => tracing.close())
    const ports = { bus, live, tracing }

    const { auth, playback, urls } = await startServices(internalEnv, ports, stopService => cleanups.push(stopService))
    if (demo) await seedDemo({ auth, playback, log })

    const gateway = createGateway(
      readGatewayConfig({
        ...env,
        PORT: String(port),
        AUTH_URL: urls.auth,
        PLAYBACK_SESSION_URL: urls['playback-session'],
        ENGAGEMENT_URL: urls.engagement,
        NOTIFICATION_URL: urls.notification,
        CHAT_URL: urls.chat,
        WEB_ROOT: webRoot,
        MEDIA_ROOT: mediaFolder,
      }),
      ports,
    )
    cleanups.push(() => gateway.stop())
    const { port: actualPort } = await gateway.start()
    return { url: `${scheme}://localhost:${actualPort}`, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
}
