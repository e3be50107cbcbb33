import { consumersOf } from '@watchline/contracts/events'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { createLogger } from '@watchline/kit/observability/log'
import { readPlaybackSessionConfig } from '../../../../services/playback-session/src/config.ts'
import { createPlaybackSessionService } from '../../../../services/playback-session/src/service.ts'
import type { BenchWorld } from '../bench-world.ts'
import type { TaskJobs } from './measure-tasks.ts'

/** Starts playback-session in this process, where its jobs run when they are called. */
export async function startTaskJobs({ settingsOf }: Pick<BenchWorld, 'settingsOf'>): Promise<TaskJobs> {
  const config = readPlaybackSessionConfig({ ...settingsOf('playback-session'), PORT: '0' })
  const log = createLogger('playback-session', config.logLevel)
  const [bus, live] = [createInProcessBus({ consumersOf, log }), createMemoryLiveStore()]
  const service = createPlaybackSessionService(config, { bus, live, log })
  await service.start()
  return {
    sendDueRemindersOnce: service.sendDueRemindersOnce,
    publishUncompletableTasksOnce: service.publishUncompletableTasksOnce,
    stop: async () => {
      await service.stop()
      await bus.close()
      await live.close()
    },
  }
}
