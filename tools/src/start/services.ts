import type { ServiceName } from '@watchline/contracts/operation'
import { freePort } from '@watchline/kit/core/free-port'
import type { Ports, Service } from '@watchline/kit/process/service-host'
import { readAuthConfig } from '../../../services/auth/src/config.ts'
import { type AuthService, createAuthService } from '../../../services/auth/src/service.ts'
import { readChatConfig } from '../../../services/chat/src/config.ts'
import { createChatService } from '../../../services/chat/src/service.ts'
import { readEngagementConfig } from '../../../services/engagement/src/config.ts'
import { createEngagementService } from '../../../services/engagement/src/service.ts'
import { readNotificationConfig } from '../../../services/notification/src/config.ts'
import { createNotificationService } from '../../../services/notification/src/service.ts'
import { readPlaybackSessionConfig } from '../../../services/playback-session/src/config.ts'
import {
  createPlaybackSessionService,
  type PlaybackSessionService,
} from '../../../services/playback-session/src/service.ts'

export interface RunningServices {
  auth: AuthService
  playback: PlaybackSessionService
  urls: Readonly<Record<ServiceName, string>>
}

/**
 * Starts the five services in this process, in order of dependency. `onStart` receives the function
 * that stops a service before the service starts, so that a caller can stop what a failure leaves.
 */
export async function startServices(
  env: NodeJS.ProcessEnv,
  ports: Ports,
  onStart: (stop: () => Promise<void>) => void,
): Promise<RunningServices> {
  const start = async (service: Service) => {
    onStart(() => service.stop())
    return (await service.start()).url
  }
  // Auth starts first, and calls these once somebody deletes a person.
  const [playbackPort, engagementPort, chatPort] = await Promise.all([freePort(), freePort(), freePort()])
  const auth = createAuthService(
    readAuthConfig({
      ...env,
      PLAYBACK_SESSION_URL: localAddress(playbackPort),
      ENGAGEMENT_URL: localAddress(engagementPort),
      CHAT_URL: localAddress(chatPort),
    }),
    ports,
  )
  const authUrl = await start(auth)

  const serviceEnv = { ...env, AUTH_URL: authUrl }
  const playback = createPlaybackSessionService(
    readPlaybackSessionConfig({ ...serviceEnv, PORT: String(playbackPort) }),
    ports,
  )
  const notification = createNotificationService(
    readNotificationConfig({
      ...serviceEnv,
      PLAYBACK_SESSION_URL: localAddress(playbackPort),
      ENGAGEMENT_URL: localAddress(engagementPort),
    }),
    ports,
  )
  const chat = createChatService(readChatConfig({ ...serviceEnv, PORT: String(chatPort) }), ports)
  // Engagement calls playback-session, so that one starts first.
  const playbackUrl = await start(playback)
  const engagement = createEngagementService(
    readEngagementConfig({ ...serviceEnv, PORT: String(engagementPort), PLAYBACK_SESSION_URL: playbackUrl }),
    ports,
  )
  const [engagementUrl, notificationUrl, chatUrl] = await waitForAll(
    start(engagement),
    start(notification),
    start(chat),
  )
  return {
    auth,
    playback,
    urls: {
      auth: authUrl,
      'playback-session': playbackUrl,
      engagement: engagementUrl,
      notification: notificationUrl,
      chat: chatUrl,
    },
  }
}

const localAddress = (port: number) => `http://127.0.0.1:${port}`

/** Waits for all, even if one fails, so that everything that has started can be stopped. */
export async function waitForAll<T extends readonly unknown[]>(...work: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(work)
  const failure = outcomes.find(outcome => outcome.status === 'rejected')
  if (failure) throw failure.reason
  return outcomes.map(outcome => (outcome as PromiseFulfilledResult<unknown>).value) as {
    [K in keyof T]: Awaited<T[K]>
  }
}
