import { openPorts, runProcess } from '@watchline/kit/process/run-process'
import { readNotificationConfig } from './config.ts'
import { createNotificationService } from './service.ts'

await runProcess(async () => {
  const config = readNotificationConfig(process.env)
  const { close, ...ports } = await openPorts('notification', config)
  return { service: createNotificationService(config, ports), close }
})
