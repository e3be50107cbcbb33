import { openPorts, runProcess } from '@watchline/kit/process/run-process'
import { readPlaybackSessionConfig } from './config.ts'
import { createPlaybackSessionService } from './service.ts'

await runProcess(async () => {
  const config = readPlaybackSessionConfig(process.env)
  const { close, ...ports } = await openPorts('playback-session', config)
  return { service: createPlaybackSessionService(config, ports), close }
})
