import { openPorts, runProcess } from '@watchline/kit/process/run-process'
import { readEngagementConfig } from './config.ts'
import { createEngagementService } from './service.ts'

await runProcess(async () => {
  const config = readEngagementConfig(process.env)
  const { close, ...ports } = await openPorts('engagement', config)
  return { service: createEngagementService(config, ports), close }
})
