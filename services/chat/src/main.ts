import { openPorts, runProcess } from '@watchline/kit/process/run-process'
import { readChatConfig } from './config.ts'
import { createChatService } from './service.ts'

await runProcess(async () => {
  const config = readChatConfig(process.env)
  const { close, ...ports } = await openPorts('chat', config)
  return { service: createChatService(config, ports), close }
})
